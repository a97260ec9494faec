import { type JSX } from 'hono/jsx/jsx-runtime';
import { EVERYONE, RoleType } from '../access/role-type';
import { type InvitationDto, type NewInvitationDto } from '../invitations/dto/invitation.dto';
import { FormError, PageForm, Select, TextArea, TextInput, Time } from '../pages/form-parts';
import { type Language } from '../pages/language';
import { Page } from '../pages/page';
import { Table } from '../pages/table';
import { type AccountPage, Frame } from './account-pages';
import { INVITATION_TEXTS } from './invitation-texts';
import { type ProviderLink } from './provider-links';
import { NewPasswordInput } from './sign-in-pages';
import { TEXTS } from './texts';

export interface AcceptancePageProps {
  language: Language;
  /** The path of the page. */
  path: string;
  mailAddress: string;
  /** Whether the person can choose a password. */
  hasPasswords: boolean;
  /** The identity providers with which the person can become a user instead. */
  providers: readonly ProviderLink[];
  userId?: string;
  name?: string;
  error?: string;
  /** What is wrong with the login name. */
  userIdError?: string;
}

/** For people with the link of an invitation. */
export const AcceptancePage = ({
  language,
  path,
  mailAddress,
  hasPasswords,
  providers,
  userId,
  name,
  error,
  userIdError,
}: AcceptancePageProps): JSX.Element => {
  const texts = INVITATION_TEXTS[language];
  return (
    <Page language={language} title={texts.welcome} narrow>
      <FormError message={error} />
      <p>{texts.welcomeFor(mailAddress)}</p>
      {hasPasswords && (
        <PageForm action={path}>
          <TextInput
            name="userId"
            label={TEXTS[language].loginName}
            value={userId}
            hint={texts.nameRule}
            error={userIdError}
            autocomplete="username"
            max={255}
          />
          <TextInput name="name" label={TEXTS[language].name} value={name} autocomplete="name" max={255} />
          <NewPasswordInput language={language} />
          <button>{texts.accept}</button>
        </PageForm>
      )}
      {providers.length > 0 && <p>{hasPasswords ? texts.orProvider : texts.withProvider}</p>}
      {providers.map((provider) => (
        <PageForm key={provider.path} action={provider.path}>
          <button>{texts.acceptWith(provider.name)}</button>
        </PageForm>
      ))}
    </Page>
  );
};

/** What an Administrator entered to invite people. */
export interface EnteredInvitations {
  mailAddresses?: string;
  roleType?: string;
  projectIds?: readonly string[];
}

interface InvitationsPageProps extends AccountPage {
  /** The projects to choose from. */
  projects: readonly { id: number; name: string }[];
  /** Whether there are more. */
  hasMoreProjects: boolean;
  /** The newest open invitations. */
  invitations: readonly InvitationDto[];
  /** Whether there are more. */
  hasMoreInvitations: boolean;
  /** Invitations that have just been added. */
  added?: readonly NewInvitationDto[];
  entered?: EnteredInvitations;
  /** Whether the service sends the links. */
  isMailed: boolean;
}

/** For Administrators. */
export const InvitationsPage = ({
  projects,
  hasMoreProjects,
  invitations,
  hasMoreInvitations,
  added,
  entered = {},
  isMailed,
  ...page
}: InvitationsPageProps): JSX.Element => {
  const common = TEXTS[page.language];
  const texts = INVITATION_TEXTS[page.language];
  const { roleType = String(RoleType.NormalUser), projectIds = [] } = entered;
  return (
    <Frame {...page} path="/account/invitations" title={common.invitations}>
      {added && (
        <div class="note" role="status">
          <p>{texts.links}</p>
          <pre>{added.map(({ mailAddress, url }) => `${mailAddress} ${url}`).join('\n')}</pre>
        </div>
      )}
      <p>
        {texts.intro} {isMailed ? texts.introMailed : texts.introNotMailed}
      </p>
      <PageForm action="/account/invitations" csrf={page.csrf}>
        <TextArea
          name="mailAddresses"
          label={texts.mailAddresses}
          hint={texts.mailAddressesHint}
          value={entered.mailAddresses}
        />
        <Select
          name="roleType"
          label={common.role}
          options={EVERYONE.map((role) => ({ value: String(role), text: common.roles[role] ?? '' }))}
          value={roleType}
        />
        {projects.length > 0 && (
          <fieldset aria-describedby="projects-hint">
            <legend>{texts.projects}</legend>
            <p class="hint" id="projects-hint">
              {texts.projectsHint} {hasMoreProjects && texts.firstProjects(projects.length)}
            </p>
            {projects.map(({ id, name }) => (
              <label key={id} class="choice">
                <input
                  type="checkbox"
                  name="projectIds"
                  value={id}
                  checked={projectIds.includes(String(id))}
                />{' '}
                {name}
              </label>
            ))}
          </fieldset>
        )}
        <button>{texts.invite}</button>
      </PageForm>
      <h2>{texts.open}</h2>
      {hasMoreInvitations && <p>{texts.firstInvitations(invitations.length)}</p>}
      {invitations.length === 0 ? (
        <p>{texts.noneOpen}</p>
      ) : (
        <Table headings={[common.mailAddress, common.role, texts.until, common.actions]}>
          {invitations.map(({ id, mailAddress, roleType: role, expires }) => (
            <tr key={id}>
              <td>{mailAddress}</td>
              <td>{common.roles[role]}</td>
              <td>
                <Time value={expires} />
              </td>
              <td>
                <PageForm action={`/account/invitations/${id}/revoke`} csrf={page.csrf}>
                  <button class="quiet" aria-label={texts.revokeOf(mailAddress)}>
                    {common.revoke}
                  </button>
                </PageForm>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Frame>
  );
};
