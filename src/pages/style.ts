import { hash } from 'node:crypto';

/** The style of all pages: light or dark as the browser wants it, from 320 pixels on. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --quiet: #5a6169; --line: #c9ced4; --back: #ffffff; --box: #f4f6f8;
  --main: #0b5cad; --on-main: #ffffff; --bad: #a3161b; --good: #17663a; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ec; --quiet: #a3abb3; --line: #454c54; --back: #15181b; --box: #1f2428; --main: #7ab8f5; --on-main: #10202f;
    --bad: #ff9a9a; --good: #7fd6a2; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
header, main { max-width: 56rem; margin: 0 auto; padding: 1rem; }
main.narrow { max-width: 26rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: baseline; border-bottom: 1px solid var(--line); }
header strong { margin-right: auto; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; list-style: none; }
a { color: var(--main); }
a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 1rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
label, legend { display: block; font-weight: 600; margin-top: 1rem; padding: 0; }
label.choice { display: inline-block; font-weight: 400; margin: .25rem 1rem .25rem 0; }
input:not([type=checkbox]), select, textarea { width: 100%; max-width: 26rem; padding: .5rem; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--quiet); border-radius: .25rem; }
fieldset { border: 0; margin: 1rem 0 0; padding: 0; min-width: 0; }
button { margin-top: 1rem; padding: .5rem 1rem; font: inherit; font-weight: 600; color: var(--on-main); background: var(--main);
  border: 1px solid var(--main); border-radius: .25rem; cursor: pointer; }
form > button { display: block; }
form.inline { display: flex; gap: .5rem; min-width: 16rem; }
a.button { display: block; width: fit-content; min-width: 12rem; margin-top: .75rem; padding: .5rem 1rem; font-weight: 600; text-align: center;
  text-decoration: none; color: var(--main); border: 1px solid var(--main); border-radius: .25rem; overflow-wrap: anywhere; }
button.quiet { margin: 0; color: var(--main); background: transparent; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; }
input[aria-invalid] { border-color: var(--bad); }
.hint { margin: .25rem 0 0; color: var(--quiet); font-size: .9rem; }
.hint.bad { color: var(--bad); }
.note { padding: .75rem 1rem; background: var(--box); border-left: 4px solid var(--good); overflow-wrap: anywhere; }
.note.bad { border-color: var(--bad); }
.scrolls { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .5rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th, button { overflow-wrap: normal; }
td { min-width: 6rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.qr { display: block; width: 14rem; max-width: 100%; background: #fff; fill: #000; }
code, pre { font: .9rem/1.4 ui-monospace, monospace; }
article { margin: 1rem 0; border-top: 1px solid var(--line); }
.text { overflow-wrap: anywhere; }
.text > :first-child { margin-top: 0; }
.text th > p, .text td > p { margin: 0; }
.text blockquote { margin: 1rem 0; padding: 0 1rem; color: var(--quiet); border-left: 4px solid var(--line); }
.text h3, .text h4, .text h5, .text h6 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.text .task { list-style: none; }
.text .task > p { display: inline; }
.plain { white-space: pre-wrap; }
pre { padding: .75rem; background: var(--box); overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
`;

const VERSION = hash('sha256', STYLE).slice(0, 12);

/** The path of the style, which changes with it, so that browsers can keep it forever. */
export const STYLE_PATH = `pages/style-${VERSION}.css`;
