import { type Named } from '../activities/activity-content';
import { ActivityType } from '../activities/activity-type';
import { limitPerProject, limitFromSetting } from '../limits/count-limit';
import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { ProjectTeam } from './entities/project-team.entity';
import { TeamMember } from './entities/team-member.entity';
import { Team } from './entities/team.entity';

const teams: { parties: Named[] } = { parties: [{ id: 1, name: 'Sample team' }] };

export const teamsManifest = {
  entities: [Team],
  disposable: [ProjectTeam, TeamMember],
  countLimits: {
    team: limitFromSetting('MAX_TEAMS', (most) => `A space can have at most ${most} teams.`),
    teamMember: limitFromSetting('MAX_TEAM_MEMBERS', (most) => `A team can have at most ${most} members.`),
    teamProject: limitFromSetting(
      'MAX_TEAM_PROJECTS',
      (most) => `A team can be in at most ${most} projects.`,
    ),
    projectTeam: limitPerProject('MAX_PROJECT_TEAMS', 'teams'),
  },
  activities: { [ActivityType.TeamJoinedProject]: teams, [ActivityType.TeamLeftProject]: teams },
  activityIds: {
    [ActivityType.TeamJoinedProject]: { 'parties[].id': 'team' },
    [ActivityType.TeamLeftProject]: { 'parties[].id': 'team' },
  },
  pathParameters: { teamId: idParameter('team') },
  archived: {
    team: { isOfSpace: true },
    teamMember: { by: ['teamId'], within: 'team' },
    projectTeam: { by: ['projectId'] },
  },
} satisfies Manifest;
