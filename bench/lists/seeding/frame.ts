import { type EntityManager } from 'typeorm';
import { Category } from '../../../src/project-settings/entities/category.entity';
import { Version } from '../../../src/project-settings/entities/version.entity';
import { foldName } from '../../../src/project-settings/fold-name';
import { ProjectMember } from '../../../src/projects/entities/project-member.entity';
import { ProjectsService } from '../../../src/projects/projects.service';
import { ApiKeysService } from '../../../src/users/api-keys.service';
import { ADMIN_ID, EPOCH, insertAll, type SeedDatabase } from '../../support/seed-database';
import { CALLERS } from '../callers';
import { type Amounts, Population, PROJECTS } from '../population';

const USER_COUNT = 500;
const CATEGORIES = 10;
const VERSIONS = 10;

interface Named {
  id: number;
  name: string;
}

/** A project with what its issues can be. */
export interface FrameProject {
  id: number;
  key: string;
  issueTypes: Named[];
  statuses: Named[];
  categories: Named[];
  versions: Named[];
}

/** What the same is of in every size: users, projects, and their settings. */
export interface Frame {
  population: Population;
  projects: FrameProject[];
}

/** Makes users with their keys, and projects with members and settings. */
export function seedFrame(database: SeedDatabase, amounts: Amounts): Promise<Frame> {
  return database.write(async (manager) => {
    const userIds = [ADMIN_ID, ...(await database.addUsers(manager, USER_COUNT - 1))];
    const population = new Population(userIds, amounts);
    for (const caller of ['memberOfOne', 'memberOfTen'] as const) {
      const { label, key } = CALLERS[caller];
      await database.service(ApiKeysService).add(manager, population.userId(caller), label, key);
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

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
