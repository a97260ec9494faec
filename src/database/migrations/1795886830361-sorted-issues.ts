import { DialectMigration } from './dialect-migration';

/**
 * Indexes with the issues of a project or a setting in the order of a list. Each index that another one replaces is dropped last, because
 * its foreign key needs one. Older processes use no new index, and name no old one.
 */
export class SortedIssues1795886830361 extends DialectMigration {
  readonly name = 'SortedIssues1795886830361';
  override readonly allowsOlder = true;

  protected readonly sqlite = {
    up: [
      'CREATE INDEX "ix_issue_issue_type_id" ON "issue" ("issue_type_id")',
      'CREATE INDEX "ix_issue_status_id" ON "issue" ("status_id")',
      'CREATE INDEX "ix_issue_project_id_actual_hours" ON "issue" ("project_id", "actual_hours")',
      'CREATE INDEX "ix_issue_project_id_estimated_hours" ON "issue" ("project_id", "estimated_hours")',
      'CREATE INDEX "ix_issue_project_id_start_date" ON "issue" ("project_id", "start_date")',
      'CREATE INDEX "ix_issue_project_id_priority_id" ON "issue" ("project_id", "priority_id")',
      'CREATE INDEX "ix_issue_project_id_summary" ON "issue" ("project_id", "summary")',
      'CREATE INDEX "ix_issue_category_category_id_issue_id" ON "issue_category" ("category_id", "issue_id")',
      'CREATE INDEX "ix_issue_milestone_version_id_issue_id" ON "issue_milestone" ("version_id", "issue_id")',
      'CREATE INDEX "ix_issue_version_version_id_issue_id" ON "issue_version" ("version_id", "issue_id")',
      'DROP INDEX "ix_issue_category_category_id"',
      'DROP INDEX "ix_issue_milestone_version_id"',
      'DROP INDEX "ix_issue_version_version_id"',
    ],
  };

  protected readonly mysql = {
    up: [
      'CREATE INDEX `ix_issue_issue_type_id` ON `issue` (`issue_type_id`)',
      'CREATE INDEX `ix_issue_status_id` ON `issue` (`status_id`)',
      'CREATE INDEX `ix_issue_project_id_actual_hours` ON `issue` (`project_id`, `actual_hours`)',
      'CREATE INDEX `ix_issue_project_id_estimated_hours` ON `issue` (`project_id`, `estimated_hours`)',
      'CREATE INDEX `ix_issue_project_id_start_date` ON `issue` (`project_id`, `start_date`)',
      'CREATE INDEX `ix_issue_project_id_priority_id` ON `issue` (`project_id`, `priority_id`)',
      'CREATE INDEX `ix_issue_project_id_summary` ON `issue` (`project_id`, `summary`)',
      'CREATE INDEX `ix_issue_category_category_id_issue_id` ON `issue_category` (`category_id`, `issue_id`)',
      'CREATE INDEX `ix_issue_milestone_version_id_issue_id` ON `issue_milestone` (`version_id`, `issue_id`)',
      'CREATE INDEX `ix_issue_version_version_id_issue_id` ON `issue_version` (`version_id`, `issue_id`)',
      'DROP INDEX `ix_issue_category_category_id` ON `issue_category`',
      'DROP INDEX `ix_issue_milestone_version_id` ON `issue_milestone`',
      'DROP INDEX `ix_issue_version_version_id` ON `issue_version`',
    ],
    down: [
      'CREATE INDEX `ix_issue_version_version_id` ON `issue_version` (`version_id`)',
      'CREATE INDEX `ix_issue_milestone_version_id` ON `issue_milestone` (`version_id`)',
      'CREATE INDEX `ix_issue_category_category_id` ON `issue_category` (`category_id`)',
      'DROP INDEX `ix_issue_version_version_id_issue_id` ON `issue_version`',
      'DROP INDEX `ix_issue_milestone_version_id_issue_id` ON `issue_milestone`',
      'DROP INDEX `ix_issue_category_category_id_issue_id` ON `issue_category`',
      'DROP INDEX `ix_issue_project_id_summary` ON `issue`',
      'DROP INDEX `ix_issue_project_id_priority_id` ON `issue`',
      'DROP INDEX `ix_issue_project_id_start_date` ON `issue`',
      'DROP INDEX `ix_issue_project_id_estimated_hours` ON `issue`',
      'DROP INDEX `ix_issue_project_id_actual_hours` ON `issue`',
      'DROP INDEX `ix_issue_status_id` ON `issue`',
      'DROP INDEX `ix_issue_issue_type_id` ON `issue`',
    ],
  };
}
