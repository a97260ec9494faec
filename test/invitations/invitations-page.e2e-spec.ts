import { type InvitationDto } from '../../src/invitations/dto/invitation.dto';
import { everythingStored } from '../support/records';
import { useWorld } from '../support/world';
import { invite } from './invite';
import { Browser, signedIn } from '../support/sessions';

const PATH = '/account/invitations';
const LINK = /([\w.]+@[\w.]+) https?:\/\/[^/]+(\/invitation\/[\w-]{43})/g;

describe('the page with invitations', () => {
  const tested = useWorld();
  let visitor: Browser;

  beforeAll(async () => {
    visitor = await signedIn(tested.world, tested.world.admin.id);
  });

  it('invites people, shows the links once, and revokes them', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const { text: form } = await visitor.open(PATH);
    expect(form).toContain(`Project ${project.key}`);
    const { status, text: html } = await visitor.submit(PATH, {
      mailAddresses: 'ada@example.com\r\n\r\n  ben@example.com \r\n',
      roleType: '3',
      projectIds: [String(project.id)],
    });
    expect(status).toBe(200);
    const links = [...html.matchAll(LINK)].map(([, mailAddress, path]) => ({ mailAddress, path }));
    expect(links.map(({ mailAddress }) => mailAddress)).toEqual(['ada@example.com', 'ben@example.com']);
    for (const { path } of links) expect((await new Browser(world).open(path!)).status).toBe(200);
    const { text: next } = await visitor.open(PATH);
    expect(next).toContain('ada@example.com');
    expect(next.match(LINK)).toBeNull();
    const { body } = await world.admin.api.get<InvitationDto[]>('/invitations?count=2');
    expect(body).toEqual(
      ['ben@example.com', 'ada@example.com'].map((mailAddress): unknown =>
        expect.objectContaining({ mailAddress, roleType: 3, projectIds: [project.id], teamIds: [] }),
      ),
    );
    const { location } = await visitor.submit(`${PATH}/${body[1]!.id}/revoke`, {});
    expect(location).toBe(PATH);
    expect((await new Browser(world).open(links[0]!.path!)).status).toBe(404);
  });

  it.each([
    ['lines that are no addresses', 'fine@example.com\nnowhere <b>', 'not mail addresses: nowhere &lt;b&gt;'],
    ['addresses of users', 'fine@example.com\nadmin@example.com', 'users already: admin@example.com'],
    [
      'too many addresses',
      Array.from({ length: 101 }, (_, number) => `a${number}@example.com`).join('\n'),
      'a list of 1 to 100',
    ],
  ])('names %s, stores nothing and keeps what was entered', async (_what, mailAddresses, message) => {
    const { world } = tested;
    const project = await world.addProject();
    await visitor.open(PATH);
    const before = await everythingStored(world);
    const fields = { mailAddresses, roleType: '6', projectIds: [String(project.id)] };
    const { status, text: html } = await visitor.submit(PATH, fields);
    expect(status).toBe(400);
    expect(html).toContain(message);
    expect(html).toContain(mailAddresses.replace('<b>', '&lt;b&gt;'));
    expect(html).toMatch(/<option value="6" selected/);
    expect(html).toMatch(new RegExp(`value="${project.id}" checked`));
    expect(await everythingStored(world)).toEqual(before);
  });

  it('is only for Administrators, whose navigation leads to it', async () => {
    const { world } = tested;
    const { id } = await invite(world);
    const other = await signedIn(world, (await world.addUser()).id);
    expect((await visitor.open('/account')).text).toContain(`href="${PATH}"`);
    expect((await other.open('/account')).text).not.toContain(`href="${PATH}"`);
    expect((await other.open(PATH)).status).toBe(403);
    const fields = { mailAddresses: 'eve@example.com', roleType: '1' };
    expect((await other.submit(PATH, fields)).status).toBe(403);
    expect((await other.submit(`${PATH}/${id}/revoke`, {})).status).toBe(403);
    expect((await new Browser(world).open(PATH)).location).toMatch(/^\/sign-in\?/);
  });

  it('accepts no form without the token of the session', async () => {
    const { world } = tested;
    const { id } = await invite(world);
    const fields = { csrf: 'x', mailAddresses: 'eve@example.com', roleType: '1' };
    const forgetful = await signedIn(world, world.admin.id);
    expect((await forgetful.submit(PATH, fields)).status).toBe(403);
    expect((await forgetful.submit(`${PATH}/${id}/revoke`, { csrf: 'x' })).status).toBe(403);
  });
});
