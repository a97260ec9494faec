import { type EntityManager } from 'typeorm';
import { Category } from '../../../src/project-settings/entities/category.entity';
import { Version } from '../../../src/project-settings/entities/version.entity';
import { insertRow } from '../../../src/database/sql/rows';
import { foldName } from '../../../src/project-settings/fold-name';
import { ProjectMember } from '../../../src/projects/entities/project-member.entity';
import { ProjectMembershipsService } from '../../../src/projects/project-memberships.service';
import { ProjectsService } from '../../../src/projects/projects.service';
import { ProjectTeam } from '../../../src/teams/entities/project-team.entity';
import { TeamMember } from '../../../src/teams/entities/team-member.entity';
import { Team } from '../../../src/teams/entities/team.entity';
import { ApiKeysService } from '../../../src/users/api-keys.service';
import { ADMIN_ID, EPOCH, insertAll, type SeedDatabase } from '../../support/seed-database';
import { CALLERS } from '../callers';
import { type Amounts, Population, PROJECTS } from '../population';

const USER_COUNT = 500;
const CATEGORIES = 10;
const VERSIONS = 10;
const TEAM_MEMBERS = 20;

interface Named {
  id: number;
  name: string;
}

/** A project with the settings that its issues can have. */
export interface FrameProject {
  id: number;
  key: string;
  issueTypes: Named[];
  statuses: Named[];
  categories: Named[];
  versions: Named[];
}

/** The data that has the same size in every database: users, projects, teams and settings. */
export interface Frame {
  population: Population;
  projects: FrameProject[];
}

/** Creates users with keys, and projects with members, a team and settings. */
export function seedFrame(database: SeedDatabase, amounts: Amounts): Promise<Frame> {
  return database.write(async (manager) => {
    const userIds = [ADMIN_ID, ...(await database.addUsers(manager, USER_COUNT - 1))];
    const population = new Population(userIds, amounts);
    for (const caller of ['memberOfOne', 'memberOfTen'] as const) {
      const { label, key } = CALLERS[caller];
      await database.service(ApiKeysService).add(manager, population.userId(caller), key, { name: label });
    }
    const projects: FrameProject[] = [];
    for (let project = 0; project < PROJECTS; project++) {
      projects.push(await seedProject(database, manager, project, population));
    }
    return { population, projects };
  });
}

async function seedProject(
  database: SeedDatabase,
  manager: EntityManager,
  project: number,
  population: Population,
): Promise<FrameProject> {
  const key = `P${project + 1}`;
  const projectId = await database
    .service(ProjectsService)
    .add(manager, { projectKey: key, name: `Project ${project + 1}` });
  await insertAll(manager, ProjectMember, population.members[project] ?? [], (userId) => ({
    projectId,
    userId,
    projectAdministrator: userId % 10 === 0,
    created: EPOCH,
  }));
  await seedTeam(database, manager, project, projectId, population);
  await insertAll(manager, Category, numbers(CATEGORIES), (number) => ({
    projectId,
    name: `Category ${number}`,
    nameKey: foldName(`Category ${number}`),
    displayOrder: number - 1,
  }));
  await insertAll(manager, Version, numbers(VERSIONS), (number) => ({
    projectId,
    name: `Version ${number}`,
    nameKey: foldName(`Version ${number}`),
    description: '',
    startDate: null,
    releaseDueDate: null,
    archived: false,
    displayOrder: number - 1,
  }));
  const read = (table: string): Promise<Named[]> =>
    manager.query<Named[]>(`SELECT id, name FROM ${table} WHERE project_id = ? ORDER BY display_order`, [
      projectId,
    ]);
  return {
    id: projectId,
    key,
    issueTypes: await read('issue_type'),
    statuses: await read('issue_status'),
    categories: await read('category'),
    versions: await read('version'),
  };
}

/** Creates a team of a project's first members, which belongs to this project only. */
async function seedTeam(
  database: SeedDatabase,
  manager: EntityManager,
  project: number,
  projectId: number,
  population: Population,
): Promise<void> {
  const userIds = (population.members[project] ?? []).slice(0, TEAM_MEMBERS);
  const author = { createdUserId: ADMIN_ID, created: EPOCH, updatedUserId: ADMIN_ID, updated: EPOCH };
  const name = `Team ${project + 1}`;
  const teamId = await insertRow(manager, Team, { name, displayOrder: project, ...author });
  await insertAll(manager, TeamMember, userIds, (userId) => ({ teamId, userId }));
  await insertAll(manager, ProjectTeam, [projectId], (id) => ({ projectId: id, teamId }));
  await database.service(ProjectMembershipsService).addTeam(manager, { projectIds: [projectId], userIds });
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
