import { type JSX } from 'hono/jsx/jsx-runtime';
import { type ChangeLogEntryDto, type CommentDto } from '../comments/dto/comment.dto';
import { Time } from '../pages/form-parts';
import { type CommentsPage } from './comments-page';
import { FormattedText, Pager, Person } from './parts';
import { type Texts } from './texts';

/** Maximum number of changes shown for a comment, and length of their values: a description is a value, too. */
const MAX_CHANGES = 50;
const MAX_VALUE = 200;

/** Comments of an issue or a pull request. @param contents their texts as HTML, in the same order */
export const Comments = ({
  texts,
  page: { comments, older, newer },
  contents,
}: {
  texts: Texts;
  page: CommentsPage;
  contents: readonly string[];
}): JSX.Element => (
  <section id="comments">
    <h2>{texts.comments}</h2>
    {comments.length === 0 && <p>{texts.noComments}</p>}
    {comments.map((comment, index) => (
      <Comment key={comment.id} texts={texts} comment={comment} html={contents[index] ?? ''} />
    ))}
    <Pager
      label={texts.commentPages}
      links={[
        { text: texts.newer, path: newer, rel: 'prev' },
        { text: texts.older, path: older, rel: 'next' },
      ]}
    />
  </section>
);

const Comment = ({
  texts,
  comment: { id, createdUser, agent, created, updated, changeLog },
  html,
}: {
  texts: Texts;
  comment: CommentDto;
  html: string;
}): JSX.Element => (
  <article id={`comment-${id}`}>
    <p>
      <Person user={createdUser} />
      {agent && ` (${agent.name})`} ·{' '}
      <a href={`#comment-${id}`}>
        <Time value={created} />
      </a>
      {updated !== created && (
        <>
          {` · ${texts.changed} `}
          <Time value={updated} />
        </>
      )}
    </p>
    <Changes texts={texts} changes={changeLog} />
    <FormattedText html={html} />
  </article>
);

const Changes = ({
  texts,
  changes,
}: {
  texts: Texts;
  changes: readonly ChangeLogEntryDto[];
}): JSX.Element | null =>
  changes.length === 0 ? null : (
    <ul class="hint">
      {changes.slice(0, MAX_CHANGES).map(({ field, originalValue, newValue }, index) => (
        <li key={index}>
          {texts.fieldName(field)}: {originalValue !== '' && `${shortened(originalValue)} `}→{' '}
          {shortened(newValue) || '–'}
        </li>
      ))}
      {changes.length > MAX_CHANGES && <li>…</li>}
    </ul>
  );

const shortened = (value: string): string =>
  value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
