import { type JSX } from 'hono/jsx/jsx-runtime';
import { type LetterContent, type LetterLink, type LetterPart } from './letter-content';

const BODY = 'font-family:sans-serif;font-size:15px;line-height:1.5;color:#1b1b1b;max-width:40em';
const QUOTE =
  'margin:0 0 1em;padding:0 0 0 1em;border-left:3px solid #ccc;white-space:pre-wrap;overflow-wrap:anywhere';
const HINT = 'font-size:13px;color:#5c5c5c;border-top:1px solid #ddd;padding-top:1em;margin-top:2em';

/** The links at the end of a letter. */
export interface LetterFooter {
  links: readonly LetterLink[];
}

/** A letter as HTML: without a script, a picture or anything that is loaded. */
export const LetterPage = ({
  content: { language, subject, parts, reason },
  footer,
}: {
  content: LetterContent;
  footer: LetterFooter;
}): JSX.Element => (
  <html lang={language}>
    <head>
      <meta charset="utf-8" />
      <title>{subject}</title>
    </head>
    <body style={BODY}>
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
      <p style={HINT}>
        {reason}
        {footer.links.map((link) => (
          <>
            {' '}
            <Link {...link} />
          </>
        ))}
      </p>
    </body>
  </html>
);

const Part = ({ part }: { part: LetterPart }): JSX.Element => {
  if ('text' in part) return <p>{part.text}</p>;
  if ('quote' in part) return <blockquote style={QUOTE}>{part.quote}</blockquote>;
  if ('link' in part) {
    return (
      <p>
        <Link {...part.link} />
      </p>
    );
  }
  return (
    <ul>
      {part.items.map((link) => (
        <li key={link.url}>
          <Link {...link} />
        </li>
      ))}
    </ul>
  );
};

const Link = ({ url, text }: LetterLink): JSX.Element => <a href={url}>{text}</a>;

/** The same letter as plain text. */
export function letterText({ parts, reason }: LetterContent, { links }: LetterFooter): string {
  const blocks = parts.map((part) => {
    if ('text' in part) return part.text;
    if ('quote' in part) return part.quote.replace(/^/gm, '> ');
    if ('link' in part) return part.link.url;
    return part.items.map(({ text, url }) => `- ${text}\n  ${url}`).join('\n');
  });
  const footer = [reason, ...links.map(({ text, url }) => `${text}: ${url}`)].join('\n');
  return [...blocks, `-- \n${footer}`].join('\n\n');
}
