import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';

interface TextInputProps {
  name: string;
  label: string;
  type?: 'text' | 'password' | 'email' | 'date';
  value?: string;
  hint?: string;
  autocomplete?: string;
  min?: number;
  max?: number;
  optional?: true;
}

/** A text, with its label. */
export const TextInput = ({
  name,
  label,
  type = 'text',
  value,
  hint,
  autocomplete,
  min,
  max,
  optional,
}: TextInputProps): JSX.Element => (
  <>
    <label for={name}>{label}</label>
    <input
      id={name}
      name={name}
      type={type}
      value={value}
      autocomplete={autocomplete}
      minlength={min}
      maxlength={max}
      required={!optional}
      aria-describedby={hint === undefined ? undefined : `${name}-hint`}
    />
    {hint !== undefined && (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
  </>
);

interface PageFormProps {
  action: string;
  /** The token against forged requests; absent before the sign-in. */
  csrf?: string;
  /** Fields that are not shown. */
  hidden?: Readonly<Record<string, string | undefined>>;
  children: Child;
}

/** A form of a page. */
export const PageForm = ({ action, csrf, hidden = {}, children }: PageFormProps): JSX.Element => (
  <form method="post" action={action}>
    {Object.entries({ csrf, ...hidden }).map(
      ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
    )}
    {children}
  </form>
);

/** What went wrong with a form; screen readers read it first. */
export const FormError = ({ message }: { message: string | undefined }): JSX.Element | null =>
  message === undefined ? null : (
    <p class="note bad" role="alert">
      {message}
    </p>
  );

/** A point in time, to the minute. */
export const Time = ({ value }: { value: string }): JSX.Element => (
  <time datetime={value}>{`${value.slice(0, 10)} ${value.slice(11, 16)} UTC`}</time>
);
