import { type FieldDefinition } from '../http/request/field';
import { type InLanguages, type Language } from '../pages/language';
import {
  AcceptInvitationForm,
  AddKeyForm,
  AddPasskeyForm,
  ChangePasswordForm,
  ConfirmAppForm,
  ConfirmForm,
  ForgottenPasswordForm,
  InvitationsForm,
  MailSettingsForm,
  NewPasswordForm,
  ProfileForm,
  RenamePasskeyForm,
  SecondFactorForm,
  SetPasswordForm,
  SignInForm,
} from './account-forms';
import { FACTOR_TEXTS } from './factor-texts';
import { INVITATION_TEXTS } from './invitation-texts';
import { MAIL_TEXTS } from './mail-texts';
import { type Texts, TEXTS } from './texts';

type Label = (language: Language) => string;
type Labels = Readonly<Record<string, Label>>;

const common =
  (key: keyof Texts): Label =>
  (language) =>
    String(TEXTS[language][key]);

const loginName = common('loginName');
const code: Label = (language) => FACTOR_TEXTS[language].code;
const passkeyName: Label = (language) => FACTOR_TEXTS[language].passkeyName;
const newPassword = common('newPassword');
const signIn = { name: loginName, password: common('password') };

/** The labels of the fields that people fill in, as on the pages. */
const LABELS = new Map<unknown, Labels>([
  [SignInForm, signIn],
  [NewPasswordForm, { ...signIn, password: common('currentPassword'), newPassword }],
  [ConfirmForm, signIn],
  [SetPasswordForm, { newPassword }],
  [AcceptInvitationForm, { userId: loginName, name: common('name'), newPassword }],
  [SecondFactorForm, { code }],
  [ConfirmAppForm, { code }],
  [AddPasskeyForm, { name: passkeyName }],
  [RenamePasskeyForm, { name: common('name') }],
  [ChangePasswordForm, { password: common('currentPassword'), newPassword }],
  [ProfileForm, { name: common('name'), mailAddress: common('mailAddress') }],
  [
    AddKeyForm,
    {
      name: common('keyName'),
      scopes: common('scopes'),
      agent: common('agent'),
      expires: common('expires'),
    },
  ],
  [
    InvitationsForm,
    {
      mailAddresses: (language) => INVITATION_TEXTS[language].mailAddresses,
      roleType: common('role'),
      projectIds: (language) => INVITATION_TEXTS[language].projects,
    },
  ],
  [ForgottenPasswordForm, { name: (language) => MAIL_TEXTS[language].nameOrAddress }],
  [
    MailSettingsForm,
    {
      mode: (language) => MAIL_TEXTS[language].mode,
      topics: (language) => MAIL_TEXTS[language].topics,
      digestHour: (language) => MAIL_TEXTS[language].digestHour,
      timeZone: (language) => MAIL_TEXTS[language].timeZone,
      language: (language) => MAIL_TEXTS[language].language,
    },
  ],
]);

/** Returns the label of a field of a form; undefined for one that people do not fill in. */
export const labelOf = (form: unknown, field: string, language: Language): string | undefined =>
  LABELS.get(form)?.[field]?.(language);

/** Says what a field with a label has to be. */
export const RULES: InLanguages<(label: string, definition: FieldDefinition) => string> = {
  en: (label, { message }) => `${label} ${message}.`,
  ja: (label, { schema }) => {
    const { enum: values, format, minLength, maxLength, type } = schema;
    if (values !== undefined || type === 'array') return `${label}を選び直してください。`;
    if (format === 'email') return `${label}の形式が正しくありません。`;
    if (format === 'date') return `${label}は2030-12-31のような日付で入力してください。`;
    const most = Number(maxLength).toLocaleString('ja');
    return minLength === undefined
      ? `${label}は${most}文字以内で入力してください。`
      : `${label}は${Number(minLength)}〜${most}文字で入力してください。`;
  },
};

/** Says that a field has something that cannot be used, for another reason than its rule. */
export const UNUSABLE: InLanguages<(label: string) => string | undefined> = {
  en: () => undefined,
  ja: (label) => `${label}の内容を確認してください。`,
};
