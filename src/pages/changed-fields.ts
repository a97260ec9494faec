import { type InLanguages, type Language } from './language';

/** The fields of change logs that have a name for people, by their name in the API (`docs/protocol.md`). */
const NAMES: InLanguages<Readonly<Record<string, string>>> = {
  en: {
    summary: 'Summary',
    description: 'Description',
    issueType: 'Type',
    component: 'Categories',
    version: 'Versions',
    milestone: 'Milestones',
    status: 'Status',
    priority: 'Priority',
    assigner: 'Assignee',
    assignee: 'Assignee',
    resolution: 'Resolution',
    startDate: 'Start date',
    limitDate: 'Due date',
    estimatedHours: 'Estimated hours',
    actualHours: 'Actual hours',
    parentIssue: 'Parent issue',
    dependentIssue: 'Issue',
    base: 'Base branch',
    branch: 'Branch',
    attachment: 'File',
    sharedFile: 'Shared file',
    commit: 'Commit',
  },
  ja: {
    summary: '件名',
    description: '説明',
    issueType: '種別',
    component: 'カテゴリー',
    version: '発生バージョン',
    milestone: 'マイルストーン',
    status: '状態',
    priority: '優先度',
    assigner: '担当者',
    assignee: '担当者',
    resolution: '完了理由',
    startDate: '開始日',
    limitDate: '期限日',
    estimatedHours: '予定時間',
    actualHours: '実績時間',
    parentIssue: '親課題',
    dependentIssue: '関連する課題',
    base: 'マージ先ブランチ',
    branch: 'ブランチ',
    attachment: '添付ファイル',
    sharedFile: '共有ファイル',
    commit: 'コミット',
  },
};

/** Returns the name of a changed field for people. A custom field has the name that its project has given it. */
export const changedFieldName = (language: Language, field: string): string =>
  (Object.hasOwn(NAMES[language], field) ? NAMES[language][field] : undefined) ?? field;
