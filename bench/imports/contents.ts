import { PROJECT } from './population';
import { forEach, type Space } from './space';

const PAGE = 100;
/** Characters of a difference that are shown, and how many of them are before it. */
const SHOWN = 120;
const SHOWN_BEFORE = 60;

/** What the API shows of a space, by address. The addresses of the source are asked at both. */
export type Contents = ReadonlyMap<string, string>;

interface Named {
  id: number;
}

/** Returns the addresses of everything that the project of a space has. */
export async function addressesOf(space: Space): Promise<string[]> {
  const path = `/projects/${PROJECT}`;
  const issueLists: string[] = [];
  const issues: number[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const address = `/issues?count=${PAGE}&offset=${offset}&sort=created&order=asc`;
    const page = await space.get<Named[]>(address);
    issueLists.push(address);
    issues.push(...page.map(({ id }) => id));
    if (page.length < PAGE) break;
  }
  const settings = [
    'issueTypes',
    'statuses',
    'categories',
    'versions',
    'customFields',
    'teams',
    'users',
    'activities?count=100',
  ];
  const [{ id: projectId }, wikis, documents, repositories] = await Promise.all([
    space.get<Named>(path),
    space.get<Named[]>(`/wikis?projectIdOrKey=${PROJECT}`),
    space.get<{ id: string }[]>(`/documents?offset=0&count=${PAGE}`),
    space.get<Named[]>(`${path}/git/repositories`),
  ]);
  const repositoryPaths = repositories.map(({ id }) => `${path}/git/repositories/${id}/pullRequests`);
  const pullRequests: string[] = [];
  for (const each of repositoryPaths) {
    const found = await space.get<{ number: number }[]>(`${each}?count=${PAGE}`);
    pullRequests.push(`${each}?count=${PAGE}`, ...found.map(({ number }) => `${each}/${number}/comments`));
  }
  return [
    ...issueLists,
    ...settings.map((name) => `${path}/${name}`),
    ...issues.flatMap((id) => [`/issues/${id}/comments?count=${PAGE}`, `/issues/${id}/relatedIssues`]),
    ...wikis.flatMap(({ id }) => [`/wikis/${id}`, `/wikis/${id}/history`]),
    ...documents.flatMap(({ id }) => [`/documents/${id}`, `/documents/${id}/comments`]),
    `/documents/tree?projectIdOrKey=${projectId}`,
    `${path}/git/repositories`,
    ...pullRequests,
  ];
}

/** Returns what a space answers to addresses, without the traces of a sign-in and the address of the space. */
export async function contentsOf(space: Space, addresses: readonly string[]): Promise<Contents> {
  const contents = new Map<string, string>();
  await forEach(addresses, async (address) => {
    const answer = await space.get<unknown>(address).catch((error: unknown) => (error as Error).message);
    contents.set(
      address,
      JSON.stringify(answer)
        .replaceAll(space.origin, 'origin')
        .replaceAll(space.origin.replace(/^.*\/\//, ''), 'host')
        .replace(/"lastLoginTime":"[^"]*"/g, '"lastLoginTime":""')
        // Each instance has an administrator of its own.
        .replace(/"vendorAccount":\{[^}]*\}/g, '"vendorAccount":{}')
        // An archive has no mail addresses in activities.
        .replace(address.includes('/activities') ? /"mailAddress":"[^"]*"/g : /(?!)/, '"mailAddress":""'),
    );
  });
  return contents;
}

/** Returns the addresses at which two spaces show something else, each with the place where they begin to differ. */
export function differences(one: Contents, other: Contents): string[] {
  return [...one].flatMap(([address, text]) => {
    const found = other.get(address) ?? '';
    if (found === text) return [];
    const start = [...text].findIndex((character, at) => character !== found[at]);
    const place = Math.max(0, start - SHOWN_BEFORE);
    const [before, after] = [text, found].map((each) => each.slice(place, place + SHOWN));
    return [`${address}: ${before} / ${after}`];
  });
}
