import { readFileSync } from 'node:fs';
import { type Setting } from '../../src/config/setting-rules';
import { SETTINGS } from '../../src/config/settings';

type Name = keyof typeof SETTINGS;

/** The settings with which the page begins. */
const IMPORTANT: readonly Name[] = [
  'PORT',
  'HOST',
  'BASE_PATH',
  'PUBLIC_URL',
  'DATABASE_URL',
  'REDIS_URL',
  'STORAGE_URL',
  'GIT_ROOT',
  'MAX_FILE_SIZE',
  'SPACE_CAPACITY',
  'ADMIN_API_KEY',
  'SPACE_KEY',
  'SPACE_NAME',
  'DEMO_DATA',
  'ENCRYPTION_KEY',
  'TRUST_PROXY',
  'TLS_CERT',
  'TLS_KEY',
  'WEBHOOK_ALLOW',
  'CORS_ORIGINS',
  'RATE_LIMIT',
  'LOG_LEVEL',
  'METRICS_PORT',
];

const SOURCE = 'src/config/settings.ts';
/** A title or a line of an introduction, or a comment and the name of its setting. */
const PART = /^ {2}(?:\/\/ ([^\n]+)|\/\*\*(.+?)\*\/\n {2}(\w+):)/gms;

const WIDTH = 130;
const MEBIBYTE = 1024 ** 2;

interface Topic {
  title: string;
  intro: string[];
  settings: DescribedSetting[];
}

interface DescribedSetting extends Setting {
  name: Name;
  description: string;
  /** The effect of an unset variable that has no default. */
  unset?: string;
}

/** Returns the documents by their paths. */
export function settingsDocuments(): Record<string, string> {
  const topics = readTopics();
  return { '.env.example': exampleOf(topics), 'docs/settings.md': pageOf(topics) };
}

function readTopics(): Topic[] {
  const topics: Topic[] = [];
  for (const [, line, comment = '', name] of readFileSync(SOURCE, 'utf8').matchAll(PART)) {
    const topic = topics.at(-1);
    if (line === undefined) {
      const [description = '', unset] = comment
        .replace(/\s+(?:\* )?/g, ' ')
        .trim()
        .split(/ Unset: (.+)\.$/);
      topic?.settings.push({ ...SETTINGS[name as Name], name: name as Name, description, unset });
    } else if (topic?.settings.length === 0) {
      topic.intro.push(line);
    } else {
      topics.push({ title: line, intro: [], settings: [] });
    }
  }
  const described = topics.flatMap(({ settings }) => settings.map(({ name }) => name));
  const missing = Object.keys(SETTINGS).filter((name) => !described.includes(name as Name));
  if (missing.length > 0) throw new Error(`${SOURCE}: without a description: ${missing.join(', ')}`);
  return topics;
}

function exampleOf(topics: Topic[]): string {
  const head = comment(
    'Every setting of the service. Copy this file to .env, or set environment variables. Unset or empty settings have the default ' +
      'shown. An invalid setting prevents the start, with an error message that states the reason. docs/settings.md has the same ' +
      'text as a page. npm run settings writes both files.',
  );
  const parts = topics.flatMap(({ title, intro, settings }) => [
    [`# ${`---- ${title} `.padEnd(WIDTH - 2, '-')}`, ...comment(intro.join(' '))],
    ...settings.map((setting) => {
      const { name, default: text = '', description, unset } = setting;
      const sentences = [
        description,
        `Value: ${valuesOf(setting)}.`,
        sizeOf(text) && `Default: ${sizeOf(text)}.`,
        unset && `Unset: ${unset}.`,
      ];
      return [...comment(sentences.filter(Boolean).join(' ').replaceAll('`', '')), `${name}=${text}`];
    }),
  ]);
  return [head, ...parts].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** Returns the lines of a comment. */
function comment(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter(Boolean)) {
    const longer = `${lines.at(-1) ?? '#'} ${word}`;
    if (lines.length > 0 && longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`# ${word}`);
  }
  return lines;
}

function pageOf(topics: Topic[]): string {
  const settings = topics.flatMap((topic) => topic.settings.map((setting) => ({ ...setting, topic })));
  const important = IMPORTANT.flatMap((name) => settings.filter((setting) => setting.name === name));
  return `<!-- Written by npm run settings from ${SOURCE}. -->

# Settings

The service reads its settings from environment variables and from the file \`.env\` in the working directory; a variable takes
precedence. Unset or empty settings have their default. An invalid setting prevents the start, with an error message that states
the reason. [.env.example](../.env.example) contains the same settings as a file to copy. ${linked('docs/install.md')} describes how the
systemd unit, the container and Docker Compose set them.

## The most important settings

${table(
  ['Setting', 'Default', 'Purpose', 'Topic'],
  important.map((setting) => [
    `\`${setting.name}\``,
    defaultOf(setting),
    summaryOf(setting),
    `[${setting.topic.title}](#${setting.topic.title.toLowerCase().replace(/,/g, '').replaceAll(' ', '-')})`,
  ]),
)}
${topics
  .map(
    ({ title, intro, settings }) => `
## ${title}

${intro.length > 0 ? `${linked(intro.join('\n'))}\n\n` : ''}${table(
      ['Setting', 'Default', 'Description'],
      settings.map((setting) => [
        `\`${setting.name}\``,
        defaultOf(setting),
        `${setting.description} Value: ${marked(valuesOf(setting))}.`,
      ]),
    )}
`,
  )
  .join('')}`;
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function defaultOf({ default: text, unset = 'none' }: DescribedSetting): string {
  if (!text) return unset;
  const size = sizeOf(text);
  return `\`${text.replaceAll(',', ', ')}\`${size && ` (${size})`}`;
}

const summaryOf = ({ description }: DescribedSetting): string => description.replace(/(?<=\.) .*/, '');

/** Turns citations such as docs/git.md#limits into links from this page. */
const linked = (text: string): string => text.replace(/docs\/([\w-]+\.md(?:#[\w-]+)?)/g, '[$1]($1)');

/** Marks URLs, options and pairs such as host:port as code. */
const marked = (text: string): string => text.replace(/\S*[:=*]\S*?(?=,?(?:\s|$))/g, '`$&`');

const valuesOf = ({ what }: Setting): string =>
  what
    .replace(` to ${Number.MAX_SAFE_INTEGER}`, '')
    .replace(/^(a whole number) from (\d+)$/, '$1, $2 or more');

/** Returns a size as text, if the default is a multiple of a mebibyte. */
function sizeOf(text: string): string {
  const mebibytes = Number(text) / MEBIBYTE;
  if (!Number.isInteger(mebibytes) || mebibytes === 0) return '';
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${mebibytes} MiB`;
}
