import { type Child } from 'hono/jsx';
import { type JSX } from 'hono/jsx/jsx-runtime';

interface TextInputProps {
  name: string;
  label: string;
  type?: 'text' | 'password' | 'email' | 'date';
  value?: string;
  hint?: string;
  /** What is wrong with it. */
  error?: string;
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
  error,
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
      aria-invalid={error === undefined ? undefined : 'true'}
      aria-describedby={describedBy(name, { hint, error })}
    />
    {error !== undefined && (
      <p class="hint bad" id={`${name}-error`} role="alert">
        {error}
      </p>
    )}
    <Hint name={name} text={hint} />
  </>
);

interface TextAreaProps {
  name: string;
  label: string;
  value?: string;
  hint?: string;
}

/** A text of several lines, with its label. */
export const TextArea = ({ name, label, value = '', hint }: TextAreaProps): JSX.Element => (
  <>
    <label for={name}>{label}</label>
    <textarea id={name} name={name} rows={8} required aria-describedby={describedBy(name, { hint })}>
      {value}
    </textarea>
    <Hint name={name} text={hint} />
  </>
);

interface SelectProps {
  name: string;
  label: string;
  options: readonly { value: string; text: string }[];
  /** The value of the chosen option. */
  value: string;
}

/** A choice of one option, with its label. */
export const Select = ({ name, label, options, value: chosen }: SelectProps): JSX.Element => (
  <>
    <label for={name}>{label}</label>
    <select id={name} name={name} required>
      {options.map(({ value, text }) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  </>
);

const Hint = ({ name, text }: { name: string; text: string | undefined }): JSX.Element | null =>
  text === undefined ? null : (
    <p class="hint" id={`${name}-hint`}>
      {text}
    </p>
  );

/** Returns the ids of what describes a field. */
function describedBy(name: string, parts: Readonly<Record<string, string | undefined>>): string | undefined {
  const ids = Object.entries(parts).flatMap(([part, text]) =>
    text === undefined ? [] : [`${name}-${part}`],
  );
  return ids.length === 0 ? undefined : ids.join(' ');
}

interface PageFormProps {
  action: string;
  /** The token against forged requests; absent before the sign-in. */
  csrf?: string;
  /** Fields that are not shown. */
  hidden?: Readonly<Record<string, string | undefined>>;
  /** Further attributes of the form. */
  attributes?: Readonly<Record<string, string | true | undefined>>;
  children: Child;
}

/** A form of a page. */
export const PageForm = ({ action, csrf, hidden = {}, attributes, children }: PageFormProps): JSX.Element => (
  <form method="post" action={action} {...attributes}>
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
