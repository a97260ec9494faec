import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { RoleType } from '../access/role-type';
import { type Originators } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { ProjectMembersService } from '../project-members/project-members.service';
import { type Browser, SessionsService } from '../sessions/sessions.service';
import { SignInService } from '../sign-in/sign-in.service';
import { SpaceService } from '../space/space.service';
import { TeamsService } from '../teams/teams.service';
import { isSignInName } from '../users/dto/user-fields';
import { hashToken } from '../users/token';
import { UserAdministrationService } from '../users/user-administration.service';
import { UsersService } from '../users/users.service';
import { InvitationRepository, type InvitationRow } from './data/invitation.repository';

/** What an invitation says to the person. */
export interface OpenInvitation {
  mailAddress: string;
  /** A login name that is free, made from the mail address; undefined if that makes none. */
  suggestedName: string | undefined;
}

/** What a person enters to become a user. */
export interface NewAccount {
  /** The login name. */
  userId: string;
  name: string;
  password: string;
  lang: string;
}

/** The account of a person who needs no password; without a role, they get that of the invitation. */
export type InvitedAccount = Omit<NewAccount, 'password'> & { roleType?: RoleType };

/** Lets people become users with the link of an invitation (`docs/decisions/0063-invitations.md`). */
@Injectable()
export class InvitationAcceptanceService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly userAdministration: UserAdministrationService,
    private readonly teams: TeamsService,
    private readonly members: ProjectMembersService,
    private readonly signIns: SignInService,
    private readonly sessions: SessionsService,
    private readonly auditLog: AuditLogService,
    private readonly invitations: InvitationRepository,
  ) {}

  /**
   * Returns the invitation of a link.
   * @throws NoResourceError unless it works
   */
  async find(token: string): Promise<OpenInvitation> {
    const invitation = await this.invitations.findOpenByHash(hashToken(token), Date.now());
    if (!invitation || !(await this.hasInviter(invitation))) throw new NoResourceError('link');
    const { mailAddress } = invitation;
    const name = mailAddress.slice(0, mailAddress.indexOf('@'));
    const isFree = isSignInName(name) && !(await this.users.isTaken(name));
    return { mailAddress, suggestedName: isFree ? name : undefined };
  }

  /**
   * Makes a person a user, and signs them in: all of it, or nothing. Projects and teams that have been deleted are skipped.
   * @param gone removes a password that is not hashed yet from the queue
   * @returns the token of their session
   * @throws NoResourceError for a link that does not work, or has been used; TakenUserIdError; CommonPasswordError;
   * ResourceOverflowError when there are too many users, or members of a team; ServiceUnavailableError
   */
  async accept(
    token: string,
    { password, ...account }: NewAccount,
    browser: Browser,
    gone?: AbortSignal,
  ): Promise<string> {
    const passwordHash = await this.signIns.hashNew(password, gone);
    return this.transactions.run(async (manager) => {
      // From here on, the inviter is not removed, disabled or given another role.
      await this.space.lock(manager);
      const describe = () => Promise.resolve({ ...account, passwordHash });
      const userId = await this.admit(manager, hashToken(token), describe, browser);
      return this.sessions.start(manager, userId, browser);
    });
  }

  /**
   * Makes a person a user in a transaction that has locked the space and then starts their session. Returns the user's id.
   * @param tokenHash SHA-256 of the token of the invitation
   * @param describe returns the account of the person, whose mail address is that of the invitation
   * @throws as `accept`
   */
  async admit(
    manager: EntityManager,
    tokenHash: string,
    describe: (mailAddress: string) => Promise<InvitedAccount & { passwordHash?: string }>,
    browser: Browser,
  ): Promise<number> {
    const invitation = await this.invitations.take(manager, tokenHash, Date.now());
    if (!invitation || !(await this.hasInviter(invitation, manager))) throw new NoResourceError('link');
    const { mailAddress } = invitation;
    const { roleType = invitation.roleType, ...account } = await describe(mailAddress);
    const user = await this.userAdministration.addByThemselves(
      manager,
      { ...account, mailAddress, roleType },
      browser.address,
    );
    await this.invitations.setAcceptedUser(manager, invitation.id, user.id);
    const actor = { id: user.id, address: browser.address };
    const subject = { id: invitation.id, name: mailAddress };
    await this.auditLog.record(manager, actor, { action: 'invitation.accept', subject });
    await this.join(manager, invitation, user.id, {
      author: { id: invitation.createdUserId ?? user.id },
      actor,
    });
    return user.id;
  }

  /** Adds the new user, who is locked, to the teams and projects of the invitation: teams first, in the order of all locks. */
  private async join(
    manager: EntityManager,
    { teamIds, projectIds }: InvitationRow,
    userId: number,
    originators: Originators,
  ): Promise<void> {
    for (const id of teamIds.toSorted(ascending)) {
      await unlessDeleted(this.teams.addMember(manager, originators, id, userId));
    }
    for (const id of projectIds.toSorted(ascending)) {
      await unlessDeleted(this.members.join(manager, originators, id, userId));
    }
  }

  /** Whether the user who made an invitation is still an Administrator and not disabled; always for the operator. */
  private async hasInviter({ createdUserId }: InvitationRow, manager?: EntityManager): Promise<boolean> {
    if (createdUserId === null) return true;
    return (await this.users.findEnabledRole(createdUserId, manager)) === RoleType.Administrator;
  }
}

const ascending = (one: number, other: number): number => one - other;

async function unlessDeleted(joining: Promise<unknown>): Promise<void> {
  try {
    await joining;
  } catch (error) {
    if (!(error instanceof NoResourceError)) throw error;
  }
}
