import { ProjectsModule } from '../projects/projects.module';
import { type UserAccount, UserAccountsService } from '../users/user-accounts.service';
import { UsersModule } from '../users/users.module';
import { SessionsModule } from '../sessions/sessions.module';
import { PasswordLinksModule } from '../sign-in/password-links.module';
import { type Services } from '../services';
import { type CommandCall, CommandError } from './command';
import { type DatabaseUse } from './database';
import { withServices } from './services';

/** Runs `work` with the services of users, of their keys, which may be limited to projects, and of their sessions. */
export const withUsers = <T>(
  call: CommandCall,
  use: DatabaseUse,
  work: (services: Services) => Promise<T>,
): Promise<T> =>
  withServices(call, use, () => [UsersModule, ProjectsModule, SessionsModule, PasswordLinksModule], work);

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
