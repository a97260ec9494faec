import { InvitationsService } from '../../../src/invitations/invitations.service';
import { type World } from '../world';
import { ADMINISTRATORS, type Names, type OperationCase, type OperationCases, times } from './operation-case';

const newAddress = (world: World): string => `${world.uniqueName('kim').replace(' ', '.')}@example.com`;

/** Adds an invitation by an Administrator of its own. */
async function addInvitation(world: World): Promise<number> {
  const inviter = await world.addUser();
  const [added] = await world
    .service(InvitationsService)
    .add(
      { id: inviter.id, roleType: 1, address: null },
      { mailAddresses: [newAddress(world)], roleType: 2, projectIds: [], teamIds: [] },
    );
  return added!.id;
}

const ONE: OperationCase = {
  right: ADMINISTRATORS,
  scope: 'space',
  names: async (world): Promise<Names> => ({ invitationId: await addInvitation(world) }),
};

export const invitationOperations: OperationCases = {
  listInvitations: {
    right: ADMINISTRATORS,
    scope: 'space',
    list: { fill: (world, _project, count) => times(count, () => addInvitation(world)) },
  },
  addInvitations: {
    right: ADMINISTRATORS,
    scope: 'space',
    body: async (world: World) => ({
      mailAddresses: [newAddress(world)],
      roleType: 2,
      teamIds: [(await world.addTeam()).id],
    }),
  },
  deleteInvitation: ONE,
};
