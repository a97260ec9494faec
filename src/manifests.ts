import { activitiesManifest } from './activities/activities.manifest';
import { attachmentsManifest } from './attachments/attachments.manifest';
import { commentsManifest } from './comments/comments.manifest';
import { customFieldsManifest } from './custom-fields/custom-fields.manifest';
import { documentsManifest } from './documents/documents.manifest';
import { gitRepositoriesManifest } from './git-repositories/git-repositories.manifest';
import { identityProvidersManifest } from './identity-providers/identity-providers.manifest';
import { invitationsManifest } from './invitations/invitations.manifest';
import { importsManifest } from './imports/imports.manifest';
import { iconsManifest } from './icons/icons.manifest';
import { issuesManifest } from './issues/issues.manifest';
import { mailManifest } from './mail/mail.manifest';
import { type Manifest } from './manifest';
import { notificationsManifest } from './notifications/notifications.manifest';
import { projectMembersManifest } from './project-members/project-members.manifest';
import { projectSettingsManifest } from './project-settings/project-settings.manifest';
import { projectsManifest } from './projects/projects.manifest';
import { pullRequestsManifest } from './pull-requests/pull-requests.manifest';
import { secondFactorsManifest } from './second-factors/second-factors.manifest';
import { sessionsManifest } from './sessions/sessions.manifest';
import { sharedFilesManifest } from './shared-files/shared-files.manifest';
import { signInManifest } from './sign-in/sign-in.manifest';
import { starsManifest } from './stars/stars.manifest';
import { teamsManifest } from './teams/teams.manifest';
import { usersManifest } from './users/users.manifest';
import { webhooksManifest } from './webhooks/webhooks.manifest';
import { wikisManifest } from './wikis/wikis.manifest';

/** In the order of their tags in the OpenAPI document. */
const ALL = [
  gitRepositoriesManifest,
  pullRequestsManifest,
  issuesManifest,
  projectSettingsManifest,
  customFieldsManifest,
  projectMembersManifest,
  teamsManifest,
  wikisManifest,
  documentsManifest,
  webhooksManifest,
  sharedFilesManifest,
  sessionsManifest,
  secondFactorsManifest,
  signInManifest,
  invitationsManifest,
  identityProvidersManifest,
  usersManifest,
  projectsManifest,
  attachmentsManifest,
  commentsManifest,
  starsManifest,
  notificationsManifest,
  activitiesManifest,
  iconsManifest,
  mailManifest,
  importsManifest,
] as const;

/** The manifests of all modules. */
export const MANIFESTS: readonly Manifest[] = ALL;

/** The parts of manifests with values by name. */
type NamedPart =
  | 'counters'
  | 'countLimits'
  | 'diskUsage'
  | 'activities'
  | 'developerActivities'
  | 'tags'
  | 'pathParameters'
  | 'archived';

/** What the manifests declare in a part, one by one. */
export type Declared<Part extends NamedPart> = ValuesOf<(typeof ALL)[number], Part>;

type ValuesOf<One, Part> = One extends unknown ? (Part extends keyof One ? One[Part] : never) : never;

/** The names that the manifests declare in a part. */
export type DeclaredNames<Part extends NamedPart> = KeyOfEach<Declared<Part>>;

type KeyOfEach<Values> = Values extends unknown ? keyof Values : never;
type ValueOf<Values> = Values extends unknown ? NonNullable<Values[keyof Values]> : never;

type ByName<Part extends NamedPart> = Readonly<
  Record<DeclaredNames<Part>, ValueOf<NonNullable<Manifest[Part]>>>
>;

/** Returns what the manifests declare in a part, by name. */
export const declared = <Part extends NamedPart>(part: Part): ByName<Part> =>
  Object.assign({}, ...MANIFESTS.map((manifest) => manifest[part])) as ByName<Part>;
