import { activitiesOf, everythingStored } from '../support/records';
import { aTimestamp, anId, errorShape, userShape } from '../support/shapes';
import { HEALTHY, useAdministeredProject } from '../support/webhooks';
import { useWorld } from '../support/world';

describe('POST /projects/{projectIdOrKey}/webhooks', () => {
  const tested = useAdministeredProject(useWorld());
  const minimal = { name: 'Chat', hookUrl: 'https://chat.example.com/hooks/42' };

  it('returns 201 with every field and no other, and records no activity', async () => {
    const { world, project, owner, webhooks } = tested;
    const given = {
      name: 'Chat',
      description: 'Posts to #dev\n',
      hookUrl: 'http://user-agent.example:8080/hooks?token=a%20b#part',
      allEvent: true,
      activityTypeIds: [17, 3],
    };
    const { status, body } = await owner.api.post(webhooks, given);
    expect(status).toBe(201);
    expect(body).toEqual({
      id: anId,
      ...given,
      createdUser: userShape(owner),
      created: aTimestamp,
      updatedUser: userShape(owner),
      updated: aTimestamp,
      health: HEALTHY,
    });
    expect(body.updated).toBe(body.created);
    expect(await activitiesOf(world, project)).toEqual([]);
  });

  it('stores the fields of the webhook', async () => {
    const { world, project, owner, webhooks } = tested;
    const { body } = await owner.api.post(webhooks, { ...minimal, allEvent: true, activityTypeIds: [1, 2] });
    const { webhook } = await everythingStored(world);
    expect(webhook?.at(-1)).toMatchObject({
      id: body.id,
      project_id: project.id,
      name: 'Chat',
      description: '',
      hook_url: minimal.hookUrl,
      all_event: 1,
      activity_type_ids: '[1,2]',
      created_user_id: owner.id,
    });
  });

  it('fills in defaults for omitted fields', async () => {
    const { body } = await tested.owner.api.post(tested.webhooks, minimal);
    expect(body).toMatchObject({ description: '', allEvent: false, activityTypeIds: [] });
  });

  it('keeps each activity type once, in the order given', async () => {
    const { body } = await tested.owner.api.post(tested.webhooks, {
      ...minimal,
      activityTypeIds: [20, 1, 20, 49, 1],
    });
    expect(body.activityTypeIds).toEqual([20, 1, 49]);
  });

  it('accepts a second webhook of the same name', async () => {
    const { owner, webhooks } = tested;
    expect((await owner.api.post(webhooks, minimal)).status).toBe(201);
    expect((await owner.api.post(webhooks, minimal)).status).toBe(201);
  });

  it('accepts a name, description and address of the maximum length', async () => {
    const longest = {
      name: '😀'.repeat(255),
      description: '😀'.repeat(100_000),
      hookUrl: `https://example.com/${'x'.repeat(2048 - 'https://example.com/'.length)}`,
    };
    const { status, body } = await tested.owner.api.post(tested.webhooks, longest);
    expect(status).toBe(201);
    expect(body).toMatchObject(longest);
  });

  it.each<[string, object, string]>([
    ['a missing name', { name: undefined }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(256) }, 'name'],
    ['a description that is too long', { description: 'x'.repeat(100_001) }, 'description'],
    ['null for a description', { description: null }, 'description'],
    ['a missing address', { hookUrl: undefined }, 'hookUrl'],
    ['an address that is too long', { hookUrl: `https://example.com/${'x'.repeat(2029)}` }, 'hookUrl'],
    ['an address without scheme', { hookUrl: 'example.com/hooks' }, 'hookUrl'],
    ['an address without host', { hookUrl: 'https://' }, 'hookUrl'],
    ['an address with another scheme', { hookUrl: 'ftp://example.com/' }, 'hookUrl'],
    ['a javascript: address', { hookUrl: 'javascript:alert(1)' }, 'hookUrl'],
    ['a file: address', { hookUrl: 'file:///etc/passwd' }, 'hookUrl'],
    ['an address with a password', { hookUrl: 'https://user:secret@example.com/' }, 'hookUrl'],
    ['an address with a user', { hookUrl: 'https://user@example.com/' }, 'hookUrl'],
    ['an address with a line break', { hookUrl: 'https://example.com/\r\nHost: x' }, 'hookUrl'],
    ['a relative address', { hookUrl: '//example.com/' }, 'hookUrl'],
    ['a number for allEvent', { allEvent: 1 }, 'allEvent'],
    ['text for allEvent', { allEvent: 'true' }, 'allEvent'],
    ['null for allEvent', { allEvent: null }, 'allEvent'],
    ['an unknown activity type', { activityTypeIds: [1, 27] }, 'activityTypeIds'],
    ['activity type 0', { activityTypeIds: [0] }, 'activityTypeIds'],
    ['text among the activity types', { activityTypeIds: ['1'] }, 'activityTypeIds'],
    ['a number for activityTypeIds', { activityTypeIds: 1 }, 'activityTypeIds'],
    ['a read-only field', { createdUser: 1 }, 'createdUser'],
  ])('refuses %s and stores nothing', async (_what, change, field) => {
    const { world, owner, webhooks } = tested;
    const before = await everythingStored(world);
    const answer = await owner.api.post(webhooks, { ...minimal, ...change });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(errorShape(7, [field]));
    expect(await everythingStored(world)).toEqual(before);
  });

  it('returns 409 above 100 webhooks in a project', async () => {
    const { world, project, owner, webhooks } = tested;
    await world.dataSource.query(
      "UPDATE project_counter SET used = 99 WHERE project_id = ? AND name = 'webhook'",
      [project.id],
    );
    expect((await owner.api.post(webhooks, minimal)).status).toBe(201);
    const answer = await owner.api.post(webhooks, minimal);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(errorShape(9));
  });
});
