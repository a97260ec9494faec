import { type UserDto } from '../../src/users/dto/user.dto';
import { ageSessions, signedIn } from '../support/sessions';
import { useWorld } from '../support/world';

const ELEVEN_MINUTES = 11 * 60_000;

describe('the page of the profile', () => {
  const tested = useWorld();

  it('asks who the user is before another mail address, but not before another name', async () => {
    const { world } = tested;
    const person = await world.addUser();
    const { body: before } = await person.api.get<UserDto>('/users/myself');
    const browser = await signedIn(world, person.id);
    await ageSessions(world, person.id, ELEVEN_MINUTES);
    const refused = await browser.submit('/account', { name: 'Kim', mailAddress: 'other@example.com' });
    expect([refused.status, refused.location]).toEqual([303, expect.stringContaining('/sign-in/confirm')]);
    expect((await person.api.get('/users/myself')).body).toEqual(before);
    const accepted = await browser.submit('/account', { name: 'Kim', mailAddress: before.mailAddress });
    expect(accepted.status).toBe(200);
    const { body: after } = await person.api.get<UserDto>('/users/myself');
    expect([after.name, after.mailAddress]).toEqual(['Kim', before.mailAddress]);
  });
});
