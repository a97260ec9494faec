import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { type AttachedFileDto } from '../attachments/dto/attached-file.dto';
import { Time } from '../pages/form-parts';
import { Page } from '../pages/page';
import { type UserDto } from '../users/dto/user.dto';
import { type Texts, TEXTS } from './texts';
import { type View } from './view';

const ACCOUNT_PATH = '/account';

/** The frame of a page that shows contents. */
export const ViewFrame = ({
  language,
  projectLink,
  title,
  current = '',
  children,
}: View & { title: string; current?: string; children: Child }): JSX.Element => {
  const texts = TEXTS[language];
  const account = { path: ACCOUNT_PATH, text: texts.account };
  return (
    <Page
      language={language}
      title={title}
      navigation={{ label: texts.pages, links: projectLink ? [projectLink, account] : [account], current }}
    >
      {children}
    </Page>
  );
};

/** A property of what a page shows; left out without a value. */
export type Fact = readonly [name: string, value: Child];

/** The properties of what a page shows. */
export const Facts = ({ facts }: { facts: readonly Fact[] }): JSX.Element => (
  <dl>
    {facts.filter(hasValue).map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
);

const hasValue = ([, value]: Fact): boolean =>
  value !== undefined && value !== null && value !== false && value !== '';

/** A user, with a link to their page. */
export const Person = ({ user }: { user: Pick<UserDto, 'id' | 'name'> }): JSX.Element => (
  <a href={`/user/${user.id}`}>{user.name}</a>
);

/** Returns when something was added and last changed, and by whom. */
export const historyOf = (texts: Texts, { created, createdUser, updated, updatedUser }: History): Fact[] => [
  [texts.created, <By user={createdUser} time={created} />],
  [texts.updated, <By user={updatedUser} time={updated} />],
];

interface History {
  created: string;
  createdUser: UserDto;
  updated: string;
  updatedUser: UserDto;
}

const By = ({ user, time }: { user: UserDto; time: string }): JSX.Element => (
  <>
    <Time value={time} /> · <Person user={user} />
  </>
);

/** A day, from a timestamp. */
export const Day = ({ value }: { value: string }): JSX.Element => (
  <time datetime={value.slice(0, 10)}>{value.slice(0, 10)}</time>
);

/** Returns the names of things as one text. */
export const namesOf = (named: readonly { name: string }[]): string =>
  named.map(({ name }) => name).join(', ');

/** A text that has been formatted; nothing for an empty one. */
export const FormattedText = ({ html }: { html: string }): JSX.Element | null =>
  html === '' ? null : <div class="text" dangerouslySetInnerHTML={{ __html: html }} />;

/** A section with a text, unless it is empty. */
export const TextSection = ({ heading, html }: { heading: string; html: string }): JSX.Element | null =>
  html === '' ? null : (
    <section>
      <h2>{heading}</h2>
      <FormattedText html={html} />
    </section>
  );

/** Attached files. */
export const Files = ({
  texts,
  files,
  folder,
}: {
  texts: Texts;
  files: readonly AttachedFileDto[];
  /** The path from which the API sends them; absent for callers who may not download them. */
  folder?: string;
}): JSX.Element | null =>
  files.length === 0 ? null : (
    <section>
      <h2>{texts.files}</h2>
      <ul>
        {files.map(({ id, name }) => (
          <li key={id}>{folder === undefined ? name : <a href={`${folder}/${id}`}>{name}</a>}</li>
        ))}
      </ul>
    </section>
  );

/** Links to the pages of a list before and after this one. */
export const Pager = ({
  label,
  links,
}: {
  label: string;
  links: readonly { text: string; path: string | undefined; rel: 'prev' | 'next' }[];
}): JSX.Element | null =>
  links.every(({ path }) => path === undefined) ? null : (
    <nav aria-label={label}>
      <ul>
        {links.map(
          ({ text, path, rel }) =>
            path !== undefined && (
              <li key={rel}>
                <a href={path} rel={rel}>
                  {text}
                </a>
              </li>
            ),
        )}
      </ul>
    </nav>
  );
