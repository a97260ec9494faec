import { ActivitiesModule } from './activities/activities.module';
import { AttachmentsModule } from './attachments/attachments.module';
import { AuditLogModule } from './audit-log/audit-log.module';
import { CommentsModule } from './comments/comments.module';
import { CustomFieldsModule } from './custom-fields/custom-fields.module';
import { DocumentsModule } from './documents/documents.module';
import { GitRepositoriesModule } from './git-repositories/git-repositories.module';
import { IconsModule } from './icons/icons.module';
import { IdentityProvidersModule } from './identity-providers/identity-providers.module';
import { SingleSignOnModule } from './identity-providers/sign-in/single-sign-on.module';
import { ImportsModule } from './imports/imports.module';
import { InvitationsModule } from './invitations/invitations.module';
import { IssuesModule } from './issues/issues.module';
import { MailModule } from './mail/mail.module';
import { NotificationsModule } from './notifications/notifications.module';
import { ProjectMembersModule } from './project-members/project-members.module';
import { ProjectSettingsModule } from './project-settings/project-settings.module';
import { ProjectsModule } from './projects/projects.module';
import { PullRequestsModule } from './pull-requests/pull-requests.module';
import { SecondFactorsModule } from './second-factors/second-factors.module';
import { SessionsModule } from './sessions/sessions.module';
import { SharedFilesModule } from './shared-files/shared-files.module';
import { SignInModule } from './sign-in/sign-in.module';
import { StarsModule } from './stars/stars.module';
import { TeamsModule } from './teams/teams.module';
import { UsersModule } from './users/users.module';
import { WebhooksModule } from './webhooks/webhooks.module';
import { WikisModule } from './wikis/wikis.module';

/** The modules of projects and all that belongs to them. */
export const MODULES = [
  AuditLogModule,
  UsersModule,
  SessionsModule,
  SecondFactorsModule,
  SignInModule,
  IdentityProvidersModule,
  SingleSignOnModule,
  ProjectsModule,
  GitRepositoriesModule,
  AttachmentsModule,
  IconsModule,
  CommentsModule,
  ActivitiesModule,
  PullRequestsModule,
  IssuesModule,
  ProjectMembersModule,
  TeamsModule,
  InvitationsModule,
  ProjectSettingsModule,
  CustomFieldsModule,
  DocumentsModule,
  WikisModule,
  SharedFilesModule,
  StarsModule,
  NotificationsModule,
  MailModule,
  WebhooksModule,
  ImportsModule,
];
