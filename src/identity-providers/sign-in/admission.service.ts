import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type RoleType } from '../../access/role-type';
import { type Actor } from '../../audit-log/actor';
import { AuditLogService } from '../../audit-log/audit-log.service';
import { isDuplicate } from '../../database/connections/database-errors';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { NoResourceError, ResourceOverflowError } from '../../errors/domain-errors';
import {
  InvitationAcceptanceService,
  type InvitedAccount,
} from '../../invitations/invitation-acceptance.service';
import { type Browser } from '../../sessions/sessions.service';
import { SecondFactorsService } from '../../second-factors/second-factors.service';
import { SecondStepService, type SignInProgress } from '../../sign-in/second-step.service';
import { SpaceService } from '../../space/space.service';
import { isMailAddress } from '../../users/dto/user-fields';
import { PasswordsService } from '../../users/passwords/passwords.service';
import { UserAdministrationService } from '../../users/user-administration.service';
import { UsersService } from '../../users/users.service';
import { type ProvedPerson } from '../client/provider-clients.service';
import { IdentityProviderRepository, type ProviderRow } from '../data/identity-provider.repository';
import { IdentityRepository, type IdentityRow } from '../data/identity.repository';
import { type AttemptRow } from '../data/sso-attempt.repository';
import { SsoFailure } from '../sso-failure';
import { nameCandidates } from './name-candidates';

/** By how much the clock of a provider may differ, in milliseconds. */
const CLOCK_TOLERANCE_MS = 60_000;
const MAX_NAME = 255;
/** Two users with a mail address are as many as several. */
const MAX_OWNERS = 2;

/** A user who is connected. */
type ConnectingUser = Actor & { id: number };

/** Finds or makes the user of a person whom a provider has proved. Their role changes when the sign-in is complete. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly administration: UserAdministrationService,
    private readonly passwords: PasswordsService,
    private readonly steps: SecondStepService,
    private readonly factors: SecondFactorsService,
    private readonly invitations: InvitationAcceptanceService,
    private readonly auditLog: AuditLogService,
    private readonly providers: IdentityProviderRepository,
    private readonly identities: IdentityRepository,
  ) {}

  /**
   * Signs a person in: as the user of their identity, as the one with their mail address, or as a new one.
   * @throws SsoFailure
   */
  async signIn(
    provider: ProviderRow,
    person: ProvedPerson,
    browser: Browser,
    lang: string,
  ): Promise<SignInProgress> {
    const known = await this.identities.findBySubject(provider.id, person.subject);
    const role = roleOf(provider, person);
    const roleNow = known && (await this.users.findEnabledRole(known.userId));
    const changesRole = role !== undefined && role !== roleNow;
    const owner = known ? undefined : await this.findOwner(provider, person);
    return this.run(provider, async (manager) => {
      // Before anything is read: users are added, and roles change, one after the other.
      if (!known || changesRole) await this.space.lock(manager);
      if (owner !== undefined) await this.lockUser(manager, owner);
      const userId =
        known?.userId ??
        (await this.findOrAddUser(manager, provider, person, browser, { lang, role, owner }));
      const identity = await this.lockIdentity(manager, provider, person, userId);
      return this.begin(
        manager,
        provider,
        { ...person, role: changesRole ? role : undefined },
        identity,
        browser,
      );
    });
  }

  /**
   * Makes a person with an invitation a user. The mail address is that of the invitation, whatever the provider says.
   * @param invitationHash SHA-256 of its token
   * @throws SsoFailure if the person is a user already; NoResourceError if the invitation does not work any more; ResourceOverflowError
   */
  join(
    provider: ProviderRow,
    person: ProvedPerson,
    invitationHash: string,
    browser: Browser,
    lang: string,
  ): Promise<SignInProgress> {
    return this.run(provider, async (manager) => {
      await this.space.lock(manager);
      if (await this.identities.findBySubject(provider.id, person.subject, manager)) {
        throw new SsoFailure('taken', 'identity_taken', 'The identity belongs to a user.');
      }
      const describe = async (mailAddress: string): Promise<InvitedAccount> => {
        const userId = await this.freeName(manager, person, mailAddress);
        return { userId, name: cleanName(person.name) ?? userId, lang, roleType: roleOf(provider, person) };
      };
      const id = await this.invitations.admit(manager, invitationHash, describe, browser);
      await this.insertIdentity(manager, provider, person, { id, address: browser.address });
      const identity = await this.lockIdentity(manager, provider, person, id);
      return this.begin(manager, provider, person, identity, browser);
    });
  }

  /**
   * Lets a user who has signed in prove again who they are.
   * @throws SsoFailure
   */
  confirm(
    provider: ProviderRow,
    person: ProvedPerson,
    attempt: AttemptRow,
    browser: Browser,
  ): Promise<SignInProgress> {
    const { authenticated } = person;
    if (authenticated === undefined && !provider.acceptsMissingAuthTime) {
      throw new SsoFailure(
        'notAgain',
        'no_auth_time',
        'The provider does not say when the person signed in.',
      );
    }
    if (authenticated !== undefined && authenticated < attempt.created - CLOCK_TOLERANCE_MS) {
      throw new SsoFailure('notAgain', 'old_auth_time', 'The provider has not asked the person again.');
    }
    return this.run(provider, async (manager) => {
      const userId = attempt.userId ?? 0;
      const identity = await this.lockIdentity(manager, provider, person, userId);
      // The person has proved it now, whatever the clock of the provider says.
      return this.begin(manager, provider, { ...person, authenticated: Date.now() }, identity, browser);
    });
  }

  /**
   * Connects the identity of a person with a user who has signed in.
   * @throws SsoFailure if it, or the user, is connected otherwise
   */
  connect(provider: ProviderRow, person: ProvedPerson, user: ConnectingUser): Promise<void> {
    return this.run(provider, async (manager) => {
      await this.lockUser(manager, user.id);
      const found = await this.identities.findBySubject(provider.id, person.subject, manager);
      if (found?.userId === user.id) return;
      if (found) throw new SsoFailure('taken', 'identity_taken', 'The identity belongs to another user.');
      await this.insertIdentity(manager, provider, person, user);
    });
  }

  /** Runs a transaction, unless the provider has been disabled or deleted meanwhile. */
  private run<T>(provider: ProviderRow, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.run(async (manager) => {
      const result = await work(manager);
      if (!(await this.providers.isEnabled(provider.id, manager))) {
        throw new SsoFailure('unavailable', 'no_provider');
      }
      return result;
    });
  }

  /** Returns the user who may be the one with the mail address of a person, so that the transaction can lock them before it reads. */
  private async findOwner(provider: ProviderRow, person: ProvedPerson): Promise<number | undefined> {
    if (!provider.linksByMail) return undefined;
    const [owner] = await this.users.findIdsByMail(verifiedMail(provider, person), 1);
    return owner;
  }

  /** The transaction has locked the space, and the owner of the mail address. Returns the user, who has the identity. */
  private async findOrAddUser(
    manager: EntityManager,
    provider: ProviderRow,
    person: ProvedPerson,
    browser: Browser,
    { lang, role, owner: locked }: { lang: string; role: RoleType | undefined; owner: number | undefined },
  ): Promise<number> {
    // Another return may have been faster.
    const found = await this.identities.findBySubject(provider.id, person.subject, manager);
    if (found) return found.userId;
    if (!provider.linksByMail && !provider.createsUsers) {
      throw new SsoFailure('noAccount', 'not_connected', 'No user has connected this identity.');
    }
    const mailAddress = verifiedMail(provider, person);
    const owners = await this.users.findIdsByMail(mailAddress, MAX_OWNERS, manager);
    const [owner] = owners;
    if (owner === undefined) {
      if (!provider.createsUsers) {
        throw new SsoFailure('noAccount', 'no_user', 'No user has the mail address.');
      }
      const id = await this.addUser(manager, provider, person, { mailAddress, lang, role }, browser);
      await this.insertIdentity(manager, provider, person, { id, address: browser.address });
      return id;
    }
    if (!provider.linksByMail) {
      throw new SsoFailure(
        'noAccount',
        'mail_taken',
        'A user who has not connected it has the mail address.',
      );
    }
    if (owners.length > 1) {
      throw new SsoFailure('noAccount', 'mail_ambiguous', 'Several users have the mail address.');
    }
    if (owner !== locked) {
      throw new SsoFailure('unavailable', 'owner_changed', 'The mail address has just been changed.');
    }
    await this.requireOnlyPassword(manager, owner);
    const user = { id: owner, address: browser.address };
    await this.insertIdentity(manager, provider, person, user);
    // Users enter their mail addresses themselves: whoever entered somebody else's must not share what is now theirs.
    await this.passwords.set(manager, user, owner, null);
    return owner;
  }

  /**
   * Whoever entered somebody else's mail address could also have added a passkey or another identity, and an owner who has a second factor has to
   * prove it before anything changes. Such users connect the provider themselves. @throws SsoFailure
   */
  private async requireOnlyPassword(manager: EntityManager, userId: number): Promise<void> {
    const identities = await this.identities.findOfUser(userId, manager);
    if (identities.length === 0 && !(await this.factors.has(userId, manager))) return;
    throw new SsoFailure(
      'noAccount',
      'has_other_ways',
      'The user with the mail address has a second factor or another identity, and has to connect this one.',
    );
  }

  private async addUser(
    manager: EntityManager,
    { defaultRoleType }: ProviderRow,
    person: ProvedPerson,
    { mailAddress, lang, role = defaultRoleType }: { mailAddress: string; lang: string; role?: RoleType },
    { address }: Browser,
  ): Promise<number> {
    const userId = await this.freeName(manager, person, mailAddress);
    const name = cleanName(person.name) ?? userId;
    const user = { userId, name, mailAddress, roleType: role, lang };
    try {
      return (await this.administration.addByThemselves(manager, user, address)).id;
    } catch (error) {
      if (!(error instanceof ResourceOverflowError)) throw error;
      throw new SsoFailure('noAccount', 'too_many_users', error.message);
    }
  }

  private async freeName(manager: EntityManager, person: ProvedPerson, mailAddress: string): Promise<string> {
    for (const candidate of nameCandidates(person.userName, mailAddress)) {
      if (!(await this.users.isTaken(candidate, manager))) return candidate;
    }
    throw new SsoFailure('noAccount', 'no_free_name', 'All login names for the person are taken.');
  }

  /** @throws SsoFailure if the user has another identity at the provider */
  private async insertIdentity(
    manager: EntityManager,
    provider: ProviderRow,
    { subject, mailAddress }: ProvedPerson,
    user: ConnectingUser,
  ): Promise<void> {
    try {
      await this.identities.insert(manager, {
        providerId: provider.id,
        subject,
        userId: user.id,
        mailAddress: shownMail(mailAddress),
        created: Date.now(),
        lastUsed: null,
      });
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      throw new SsoFailure('taken', 'user_connected', 'The user, or the identity, is connected otherwise.');
    }
    const { userId: name } = await this.users.get(user.id, manager);
    await this.auditLog.record(manager, user, {
      action: 'identity.add',
      subject: { id: user.id, name },
      changes: [{ field: 'provider', from: null, to: provider.providerKey }],
    });
  }

  /** Locks a user, and returns the identity that makes a person this user. @throws SsoFailure */
  private async lockIdentity(
    manager: EntityManager,
    { id }: ProviderRow,
    { subject }: ProvedPerson,
    userId: number,
  ): Promise<IdentityRow> {
    await this.lockUser(manager, userId);
    const found = await this.identities.findBySubject(id, subject, manager);
    if (!found) throw new SsoFailure('otherPerson', 'not_connected', 'The identity is not connected.');
    if (found.userId !== userId) {
      throw new SsoFailure('otherPerson', 'other_user', 'The identity belongs to another user.');
    }
    return found;
  }

  /** @throws SsoFailure for users who have left or are disabled */
  private async lockUser(manager: EntityManager, userId: number): Promise<void> {
    try {
      await this.users.lock(manager, userId);
    } catch (error) {
      if (!(error instanceof NoResourceError)) throw error;
      throw new SsoFailure('noAccount', 'user_left', 'The user has left.');
    }
    if ((await this.users.findEnabledRole(userId, manager)) === undefined) {
      throw new SsoFailure('noAccount', 'user_disabled', 'The user is disabled.');
    }
  }

  private async begin(
    manager: EntityManager,
    provider: ProviderRow,
    person: ProvedPerson & { role?: RoleType },
    identity: IdentityRow,
    browser: Browser,
  ): Promise<SignInProgress> {
    const now = Date.now();
    const use = { mailAddress: shownMail(person.mailAddress), lastUsed: now };
    await this.identities.noteUse(manager, identity.id, use);
    const unknownTime = provider.acceptsMissingAuthTime ? now : 0;
    const authenticated = Math.min(person.authenticated ?? unknownTime, now);
    const withoutSecondFactor = provider.trustsSecondFactor && person.methods.includes('mfa');
    return this.steps.begin(
      manager,
      { userId: identity.userId, authenticated, roleType: person.role },
      browser,
      withoutSecondFactor,
    );
  }
}

/** Returns the role that the groups of a person give; undefined if roles are left alone, or the groups are not known. */
function roleOf(
  { groupRoles, defaultRoleType }: ProviderRow,
  { groups }: ProvedPerson,
): RoleType | undefined {
  if (groupRoles.length === 0 || groups === undefined) return undefined;
  const all = new Set(groups);
  const decisive = groupRoles.find((item) => all.has(item.slice(2)));
  return decisive === undefined ? defaultRoleType : Number(decisive.charAt(0));
}

/** Returns the mail address of a person who has no user yet. @throws SsoFailure unless it is verified, and its domain allowed */
function verifiedMail(
  { trustsMail, allowedDomains }: ProviderRow,
  { mailAddress, isMailVerified = trustsMail }: ProvedPerson,
): string {
  if (mailAddress === undefined || !isMailAddress(mailAddress)) {
    throw new SsoFailure('noAccount', 'no_mail', 'The provider names no mail address.');
  }
  if (!isMailVerified) {
    throw new SsoFailure('noAccount', 'mail_not_verified', 'The mail address is not verified.');
  }
  const domain = mailAddress.slice(mailAddress.lastIndexOf('@') + 1).toLowerCase();
  if (!allowedDomains.includes('*') && !allowedDomains.includes(domain)) {
    throw new SsoFailure('noAccount', 'other_domain', 'The domain of the mail address is not allowed.');
  }
  return mailAddress;
}

const shownMail = (mailAddress: string | undefined): string | null =>
  mailAddress !== undefined && isMailAddress(mailAddress) ? mailAddress : null;

/** Returns a display name without characters that would change how the page around it looks; undefined if nothing is left. */
function cleanName(name: string | undefined): string | undefined {
  const clean = name
    ?.toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return clean === undefined || clean === '' ? undefined : [...clean].slice(0, MAX_NAME).join('');
}
