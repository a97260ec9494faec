import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { type Environment } from '../config/environment';
import { DocumentsModule } from '../documents/documents.module';
import { IssuesModule } from '../issues/issues.module';
import { hasProjectPages } from '../pages/page-paths';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { PullRequestsModule } from '../pull-requests/pull-requests.module';
import { UsersModule } from '../users/users.module';
import { WikisModule } from '../wikis/wikis.module';
import { DocumentPageController } from './document-page.controller';
import { FormattedTextsService } from './formatting/formatted-texts.service';
import { IssuePageController } from './issue-page.controller';
import { ProjectPageController } from './project-page.controller';
import { ProjectPageLoader } from './project-page.loader';
import { PullRequestPageController } from './pull-request-page.controller';
import { UserPageController } from './user-page.controller';
import { ViewPagesService } from './view-pages.service';
import { WikiPageController } from './wiki-page.controller';

/** The pages that show contents to people, at the addresses that the API announces. */
@Module({
  imports: [
    ProjectsModule,
    ProjectSettingsModule,
    UsersModule,
    IssuesModule,
    WikisModule,
    DocumentsModule,
    PullRequestsModule,
  ],
  controllers: [
    IssuePageController,
    WikiPageController,
    DocumentPageController,
    PullRequestPageController,
    UserPageController,
  ],
  providers: [ViewPagesService, FormattedTextsService, ProjectPageLoader],
})
export class ViewPagesModule {
  static forRoot({ BASE_PATH }: Pick<Environment, 'BASE_PATH'>): DynamicModule {
    const controllers: Type[] = hasProjectPages(BASE_PATH) ? [ProjectPageController] : [];
    return { module: ViewPagesModule, controllers };
  }
}
