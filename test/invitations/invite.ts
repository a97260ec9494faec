import { type NewInvitationDto } from '../../src/invitations/dto/invitation.dto';
import { type Person, type World } from '../support/world';

/** Invites a person as an Administrator over HTTP, and returns the invitation with the path of its page. */
export async function invite(
  world: World,
  fields: object = {},
  inviter: Person = world.admin,
): Promise<NewInvitationDto & { path: string }> {
  const { status, body } = await inviter.api.post<NewInvitationDto[]>('/invitations', {
    mailAddresses: [`${world.uniqueName('kim').replace(' ', '.')}@example.com`],
    roleType: 2,
    ...fields,
  });
  expect(status).toBe(201);
  const [added] = body as [NewInvitationDto];
  return { ...added, path: new URL(added.url).pathname };
}

/** What a person enters on the page of an invitation. */
export const ACCOUNT = { name: 'Kim Newcomer', newPassword: 'correct horse battery' } as const;

/** Returns the audit log's newest entries, the oldest of them first. */
export async function auditLogOf(world: World, count: number): Promise<Record<string, unknown>[]> {
  const { body } = await world.admin.api.get<Record<string, unknown>[]>(`/space/auditLog?count=${count}`);
  return body.toReversed();
}
