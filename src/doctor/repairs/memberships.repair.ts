import { TeamMembershipsService } from '../../teams/team-memberships.service';
import { findWrongMemberships, type WrongMembership } from '../data/counters';
import { type Repair } from './repair';

type Subject = Pick<WrongMembership, 'projectId' | 'userId'>;

/** Makes memberships match the teams of the projects. */
export const memberships: Repair<Subject> = {
  check: 'memberships',

  async *find({ snapshot }) {
    for (const wrong of await findWrongMemberships(snapshot)) {
      yield { line: describe(wrong), subject: { projectId: wrong.projectId, userId: wrong.userId } };
    }
  },

  fix: (services, { projectId, userId }) => services(TeamMembershipsService).recount(projectId, userId),
};

function describe({ projectKey, userId, counted, teams, isDirect }: WrongMembership): string {
  if (counted === undefined)
    return `The user ${userId} is not a member of ${projectKey}, but their team is: to be added.`;
  if (teams === 0 && !isDirect) {
    return `The user ${userId} is a member of ${projectKey} only through teams, but in none: to be removed.`;
  }
  return `The membership of the user ${userId} in ${projectKey} counts ${counted} teams, but there are ${teams}.`;
}
