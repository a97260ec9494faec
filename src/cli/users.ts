import { OPERATOR } from '../access/caller';
import { Environment } from '../config/environment';
import { InvitationsModule } from '../invitations/invitations.module';
import { ProjectsModule } from '../projects/projects.module';
import { ProjectsService } from '../projects/projects.service';
import { type UserAccount, UserAccountsService } from '../users/user-accounts.service';
import { UsersModule } from '../users/users.module';
import { SessionsModule } from '../sessions/sessions.module';
import { PasswordLinksModule } from '../sign-in/password-links.module';
import { type Services } from '../services';
import { type CommandCall, CommandError } from './command';
import { type DatabaseUse } from './database';
import { withServices } from './services';

/** Runs `work` with the services of users, of their keys, sessions and invitations, and of the projects that these name. */
export const withUsers = <T>(
  call: CommandCall,
  use: DatabaseUse,
  work: (services: Services) => Promise<T>,
): Promise<T> =>
  withServices(
    call,
    use,
    () => [UsersModule, ProjectsModule, SessionsModule, PasswordLinksModule, InvitationsModule],
    work,
  );

/**
 * Returns the user named by a command.
 * @throws CommandError if there is none
 */
export async function findAccount(services: Services, userId: string): Promise<UserAccount> {
  const accounts = await services(UserAccountsService).list();
  const account = accounts.find((user) => user.userId === userId);
  if (!account) throw new CommandError(`There is no user ${JSON.stringify(userId)}. See pms user list.`);
  return account;
}

/**
 * Returns the ids of the projects named by an option, such as `DEMO,WEB`.
 * @throws CommandError if there is no such project
 */
export async function findProjectIds(services: Services, list: string): Promise<number[]> {
  const ids: number[] = [];
  for (const key of itemsOf(list)) {
    const project = await services(ProjectsService).findVisible(OPERATOR, key);
    if (!project) throw new CommandError(`There is no project ${JSON.stringify(key)}.`);
    ids.push(project.id);
  }
  return ids;
}

/** Notes with which address links begin if nobody has set one for users. */
export function noteMissingAddress({ output }: CommandCall, services: Services): void {
  const environment = services(Environment);
  if (environment.PUBLIC_URL !== undefined) return;
  output.note(`Links begin with ${environment.origin()}: set PUBLIC_URL if others use another address.`);
}

/** Returns the items of a list separated by commas. */
export const itemsOf = (list: string): string[] => list.split(',').map((item) => item.trim());
