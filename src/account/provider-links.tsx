import { type JSX } from 'hono/jsx/jsx-runtime';
import { type Language } from '../pages/language';
import { SSO_TEXTS } from './sso-texts';

/** An identity provider on a page. */
export interface ProviderLink {
  name: string;
  /** The path that leads the browser there. */
  path: string;
}

/** Links, not forms: the content security policy of a page does not let a form lead to another site. */
export const ProviderLinks = ({
  language,
  providers,
  to,
}: {
  language: Language;
  providers: readonly ProviderLink[];
  /** The path of the page to go to afterwards. */
  to: string | undefined;
}): JSX.Element => (
  <>
    {providers.map(({ name, path }) => (
      <a key={path} class="button" href={to === undefined ? path : `${path}?to=${encodeURIComponent(to)}`}>
        {SSO_TEXTS[language].signInWith(name)}
      </a>
    ))}
  </>
);
