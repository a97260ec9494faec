import { type JSX } from 'hono/jsx/jsx-runtime';
import { type IssueDto } from '../issues/dto/issue.dto';
import { Comments } from './comments';
import { type Discussion } from './comments-page';
import { Day, Facts, Files, historyOf, namesOf, Person, TextSection, ViewFrame } from './parts';
import { TEXTS } from './texts';
import { type View } from './view';

interface IssuePageProps extends Discussion {
  view: View;
  issue: IssueDto;
  /** The path from which the API sends its files; absent for callers who may not download them. */
  files?: string;
}

export const IssuePage = ({
  view,
  issue,
  description,
  comments,
  contents,
  files,
}: IssuePageProps): JSX.Element => {
  const texts = TEXTS[view.language];
  const { assignee, resolution, startDate, dueDate } = issue;
  return (
    <ViewFrame {...view} title={`${issue.issueKey} ${issue.summary}`}>
      <Facts
        facts={[
          [texts.type, issue.issueType.name],
          [texts.status, issue.status.name],
          [texts.priority, issue.priority.name],
          [texts.resolution, resolution?.name],
          [texts.assignee, assignee && <Person user={assignee} />],
          [texts.startDate, startDate !== null && <Day value={startDate} />],
          [texts.dueDate, dueDate !== null && <Day value={dueDate} />],
          [texts.categories, namesOf(issue.category)],
          [texts.versions, namesOf(issue.versions)],
          [texts.milestones, namesOf(issue.milestone)],
          ...historyOf(texts, issue),
        ]}
      />
      <TextSection heading={texts.description} html={description} />
      <Files texts={texts} files={issue.attachments} folder={files} />
      <Comments texts={texts} page={comments} contents={contents} />
    </ViewFrame>
  );
};
