import { type JSX } from 'hono/jsx/jsx-runtime';
import { Time } from '../pages/form-parts';
import { type PullRequestDto } from '../pull-requests/dto/pull-request.dto';
import { Comments } from './comments';
import { type Discussion } from './comments-page';
import { Facts, Files, historyOf, Person, TextSection, ViewFrame } from './parts';
import { TEXTS } from './texts';
import { type View } from './view';

interface PullRequestPageProps extends Discussion {
  view: View;
  pullRequest: PullRequestDto;
  /** The path from which the API sends its files. */
  files: string;
}

export const PullRequestPage = ({
  view,
  pullRequest,
  description,
  comments,
  contents,
  files,
}: PullRequestPageProps): JSX.Element => {
  const texts = TEXTS[view.language];
  const { number, summary, branch, base, assignee, issue, mergeAt, closeAt } = pullRequest;
  return (
    <ViewFrame {...view} title={`#${number} ${summary}`}>
      <Facts
        facts={[
          [texts.branches, texts.branchInto(branch, base)],
          [texts.status, pullRequest.status.name],
          [texts.merged, mergeAt !== null && <Time value={mergeAt} />],
          [texts.closed, closeAt !== null && <Time value={closeAt} />],
          [texts.assignee, assignee && <Person user={assignee} />],
          [
            texts.issue,
            issue && <a href={`/view/${issue.issueKey}`}>{`${issue.issueKey} ${issue.summary}`}</a>,
          ],
          ...historyOf(texts, pullRequest),
        ]}
      />
      <TextSection heading={texts.description} html={description} />
      <Files texts={texts} files={pullRequest.attachments} folder={files} />
      <Comments texts={texts} page={comments} contents={contents} />
    </ViewFrame>
  );
};
