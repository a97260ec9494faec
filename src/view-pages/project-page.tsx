import { type JSX } from 'hono/jsx/jsx-runtime';
import { type IssueLineDto } from '../issues/dto/issue-line.dto';
import { Time } from '../pages/form-parts';
import { Table } from '../pages/table';
import { type ProjectDto } from '../projects/dto/project.dto';
import { Pager, Person, ViewFrame } from './parts';
import { TEXTS } from './texts';
import { type View } from './view';

interface ProjectPageProps {
  view: View;
  project: ProjectDto;
  issues: readonly IssueLineDto[];
  /** The queries of the pages before and after this one; absent if there are none. */
  previous?: string;
  next?: string;
}

export const ProjectPage = ({ view, project, issues, previous, next }: ProjectPageProps): JSX.Element => {
  const texts = TEXTS[view.language];
  return (
    <ViewFrame {...view} title={project.name} current={view.projectLink?.path}>
      {project.archived && <p class="note">{texts.archived}</p>}
      <h2>{texts.openIssues}</h2>
      {issues.length === 0 ? (
        <p>{texts.noOpenIssues}</p>
      ) : (
        <Table headings={[texts.key, texts.summary, texts.status, texts.assignee, texts.updated]}>
          {issues.map(({ issueKey, summary, status, assignee, updated }) => (
            <tr key={issueKey}>
              <td>
                <a href={`/view/${issueKey}`}>{issueKey}</a>
              </td>
              <td>{summary}</td>
              <td>{status}</td>
              <td>{assignee && <Person user={assignee} />}</td>
              <td>
                <Time value={updated} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pager
        label={texts.issuePages}
        links={[
          { text: texts.previousPage, path: previous, rel: 'prev' },
          { text: texts.nextPage, path: next, rel: 'next' },
        ]}
      />
    </ViewFrame>
  );
};
