import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';
import { SCOPES } from '../access/scopes';
import { MAIL_SETTINGS_PATH } from '../mail/mail-settings-path';
import { FormError, PageForm, TextInput, Time } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Page } from '../pages/page';
import { FACTORS_PATH, IDENTITIES_PATH, MAIL_STATUS_PATH, projectPath } from '../pages/page-paths';
import { Table } from '../pages/table';
import { type ProjectDto } from '../projects/dto/project.dto';
import { type SessionDto } from '../sessions/dto/session.dto';
import { type ApiKeyDto } from '../users/dto/api-key.dto';
import { type UserDto } from '../users/dto/user.dto';
import { FACTOR_TEXTS } from './factor-texts';
import { MAIL_STATUS_TEXTS } from './mail-status-texts';
import { MAIL_TEXTS } from './mail-texts';
import { NewPasswordInput } from './sign-in-pages';
import { SSO_TEXTS } from './sso-texts';
import { type Texts, TEXTS } from './texts';

/** What every page of a user who has signed in needs. */
export interface AccountPage {
  language: Language;
  /** The token against forged requests. */
  csrf: string;
  isAdministrator: boolean;
  /** Whether users sign in with passwords. */
  hasPasswords: boolean;
  /** What went wrong with the form that was sent. */
  error?: string;
  /** What was done. */
  notice?: string;
}

interface FrameProps extends AccountPage {
  path: string;
  title: string;
  children: Child;
}

/** The frame of the pages of a user who has signed in. */
export const Frame = ({
  language,
  csrf,
  isAdministrator,
  hasPasswords,
  error,
  notice,
  path,
  title,
  children,
}: FrameProps): JSX.Element => {
  const texts = TEXTS[language];
  return (
    <Page
      language={language}
      title={title}
      navigation={{
        label: texts.pages,
        links: [
          { path: '/account', text: texts.profile },
          ...(hasPasswords ? [{ path: '/account/password', text: texts.password }] : []),
          { path: FACTORS_PATH, text: FACTOR_TEXTS[language].factors },
          { path: IDENTITIES_PATH, text: SSO_TEXTS[language].singleSignOn },
          { path: MAIL_SETTINGS_PATH, text: MAIL_TEXTS[language].letters },
          { path: '/account/sessions', text: texts.sessions },
          { path: '/account/keys', text: texts.keys },
          ...(isAdministrator
            ? [
                { path: '/account/invitations', text: texts.invitations },
                { path: MAIL_STATUS_PATH, text: MAIL_STATUS_TEXTS[language].mail },
              ]
            : []),
        ],
        current: path,
        end: (
          <PageForm action="/sign-out" csrf={csrf}>
            <button class="quiet">{texts.signOut}</button>
          </PageForm>
        ),
      }}
    >
      <FormError message={error} />
      {notice !== undefined && (
        <p class="note" role="status">
          {notice}
        </p>
      )}
      {children}
    </Page>
  );
};

/** Number of projects that the profile links. */
const MAX_PROJECTS = 100;

interface ProfilePageProps extends AccountPage {
  user: UserDto;
  /** Those that have pages. */
  projects: readonly ProjectDto[];
  entered?: ReadonlyMap<string, string>;
}

export const ProfilePage = ({ user, projects, entered, ...page }: ProfilePageProps): JSX.Element => {
  const texts = TEXTS[page.language];
  return (
    <Frame {...page} path="/account" title={texts.profile}>
      <dl>
        <dt>{texts.loginName}</dt>
        <dd>{user.userId}</dd>
        <dt>{texts.role}</dt>
        <dd>{texts.roles[user.roleType]}</dd>
      </dl>
      <PageForm action="/account" csrf={page.csrf}>
        <TextInput
          name="name"
          label={texts.name}
          value={entered?.get('name') ?? user.name}
          autocomplete="name"
          max={255}
        />
        <TextInput
          name="mailAddress"
          type="email"
          label={texts.mailAddress}
          value={entered?.get('mailAddress') ?? user.mailAddress}
          autocomplete="email"
          max={255}
        />
        <button>{texts.save}</button>
      </PageForm>
      {projects.length > 0 && (
        <>
          <h2>{texts.projects}</h2>
          {projects.length > MAX_PROJECTS && <p>{texts.firstProjects(MAX_PROJECTS)}</p>}
          <ul>
            {projects.slice(0, MAX_PROJECTS).map(({ id, projectKey, name }) => (
              <li key={id}>
                <a href={projectPath(projectKey)}>{`${name} (${projectKey})`}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </Frame>
  );
};

export const PasswordPage = (page: AccountPage): JSX.Element => {
  const texts = TEXTS[page.language];
  return (
    <Frame {...page} path="/account/password" title={texts.changePassword}>
      <p>{texts.passwordEnds}</p>
      <PageForm action="/account/password" csrf={page.csrf}>
        <TextInput
          name="password"
          type="password"
          label={texts.currentPassword}
          autocomplete="current-password"
        />
        <NewPasswordInput language={page.language} />
        <button>{texts.changePassword}</button>
      </PageForm>
    </Frame>
  );
};

export const SessionsPage = ({
  sessions,
  ...page
}: AccountPage & { sessions: readonly SessionDto[] }): JSX.Element => {
  const texts = TEXTS[page.language];
  return (
    <Frame {...page} path="/account/sessions" title={texts.sessions}>
      <p>{texts.sessionsIntro}</p>
      <Table headings={[texts.browser, texts.address, texts.signedIn, texts.lastUsed, texts.actions]}>
        {sessions.map(({ id, userAgent, address, created, lastSeen, current }) => (
          <tr key={id}>
            <td>{userAgent || '–'}</td>
            <td>{address}</td>
            <td>
              <Time value={created} />
            </td>
            <td>
              <Time value={lastSeen} />
            </td>
            <td>
              {current ? (
                texts.thisBrowser
              ) : (
                <PageForm action={`/account/sessions/${id}/end`} csrf={page.csrf}>
                  <button class="quiet" aria-label={texts.endOf(userAgent)}>
                    {texts.end}
                  </button>
                </PageForm>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {sessions.length > 1 && (
        <PageForm action="/account/sessions/end-others" csrf={page.csrf}>
          <button>{texts.endOthers}</button>
        </PageForm>
      )}
    </Frame>
  );
};

export const KeysPage = ({
  keys,
  newKey,
  entered,
  chosen = [],
  ...page
}: AccountPage & {
  keys: readonly ApiKeyDto[];
  /** A key that has just been added. */
  newKey?: string;
  entered?: ReadonlyMap<string, string>;
  /** The scopes that were chosen. */
  chosen?: readonly string[];
}): JSX.Element => {
  const texts = TEXTS[page.language];
  return (
    <Frame {...page} path="/account/keys" title={texts.keys}>
      {newKey !== undefined && (
        <div class="note" role="status">
          <p>{texts.newKey}</p>
          <pre>{newKey}</pre>
        </div>
      )}
      <p>{texts.keysIntro}</p>
      {keys.length === 0 ? <p>{texts.noKeys}</p> : <Keys keys={keys} csrf={page.csrf} texts={texts} />}
      <h2>{texts.addKey}</h2>
      <PageForm action="/account/keys" csrf={page.csrf}>
        <TextInput name="name" label={texts.keyName} value={entered?.get('name')} max={255} />
        <fieldset aria-describedby="scopes-hint">
          <legend>{texts.scopes}</legend>
          <p class="hint" id="scopes-hint">
            {texts.scopesHint}
          </p>
          <Scopes names={SCOPES.filter((scope) => !scope.includes(':'))} chosen={chosen} />
          <details open={chosen.some((scope) => scope.includes(':'))}>
            <summary>{texts.areas}</summary>
            <Scopes names={SCOPES.filter((scope) => scope.includes(':'))} chosen={chosen} />
          </details>
        </fieldset>
        <TextInput
          name="agent"
          label={texts.agent}
          hint={texts.agentHint}
          value={entered?.get('agent')}
          max={100}
          optional
        />
        <TextInput
          name="expires"
          type="date"
          label={texts.expires}
          hint={texts.expiresHint}
          value={entered?.get('expires')}
          optional
        />
        <button>{texts.add}</button>
      </PageForm>
    </Frame>
  );
};

const Scopes = ({ names, chosen }: { names: readonly string[]; chosen: readonly string[] }): JSX.Element => (
  <>
    {names.map((name) => (
      <label key={name} class="choice">
        <input type="checkbox" name="scopes" value={name} checked={chosen.includes(name)} />{' '}
        <code>{name}</code>
      </label>
    ))}
  </>
);

const Keys = ({
  keys,
  csrf,
  texts,
}: {
  keys: readonly ApiKeyDto[];
  csrf: string;
  texts: Texts;
}): JSX.Element => (
  <Table headings={[texts.keyName, texts.scopes, texts.expires, texts.lastUsed, texts.actions]}>
    {keys.map(({ id, name, scopes, agent, expires, lastUsed }) => (
      <tr key={id}>
        <td>
          {name}
          {agent !== null && ` (${agent})`}
        </td>
        <td>{scopes?.join(', ') ?? texts.everything}</td>
        <td>{expires === null ? texts.never : <Time value={expires} />}</td>
        <td>{lastUsed === null ? texts.never : <Time value={lastUsed} />}</td>
        <td>
          <PageForm action={`/account/keys/${id}/revoke`} csrf={csrf}>
            <button class="quiet" aria-label={texts.revokeOf(name)}>
              {texts.revoke}
            </button>
          </PageForm>
        </td>
      </tr>
    ))}
  </Table>
);
