/** A journal of an issue. */
export interface RedmineJournal {
  id: number;
  user: { name: string };
  notes: string | null;
  created_on: string;
  private_notes: boolean;
  details: { property: string }[];
}

/** An issue as a Redmine shows it. */
export interface RedmineIssue {
  id: number;
  subject: string;
  status: { name: string };
  author: { name: string };
  assigned_to?: { name: string };
  fixed_version?: { name: string };
  due_date: string | null;
  estimated_hours: number | null;
  is_private: boolean;
  created_on: string;
  updated_on: string;
  custom_fields?: { name: string; value: string }[];
  journals: RedmineJournal[];
  attachments: { filename: string; filesize: number; content_url: string }[];
  relations?: { issue_id: number; issue_to_id: number }[];
}

/** The REST API of a Redmine. */
export class RedmineClient {
  constructor(
    readonly url: string,
    readonly key: string,
  ) {}

  /** The address for `pms import`. */
  get address(): string {
    return `redmine+${this.url}`;
  }

  /**
   * Sends a request, and returns the parsed answer if there is one.
   * @param login of the user for whom the administrator acts
   * @throws Error for any status but 2xx
   */
  async send(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: object | Buffer<ArrayBuffer>,
    login?: string,
  ): Promise<any> {
    const isFile = Buffer.isBuffer(body);
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        'X-Redmine-API-Key': this.key,
        // Its only thread waits 0.2 s for the next request of a connection before it looks at another.
        connection: 'close',
        ...(login !== undefined && { 'X-Redmine-Switch-User': login }),
        ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body && { body: isFile ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text.trim() === '' ? undefined : JSON.parse(text);
  }

  async bytes(url: string): Promise<Buffer> {
    const response = await fetch(url, { headers: { 'X-Redmine-API-Key': this.key } });
    return Buffer.from(await response.arrayBuffer());
  }

  /** Returns all issues with what belongs to them, in the order of their ids. */
  async issues(): Promise<RedmineIssue[]> {
    const ids: number[] = [];
    for (let offset = 0; ; offset = ids.length) {
      const { issues } = await this.send(
        'GET',
        `/issues.json?status_id=*&sort=id&limit=100&offset=${offset}`,
      );
      if (issues.length === 0) break;
      for (const { id } of issues) ids.push(id);
    }
    const found: RedmineIssue[] = [];
    for (const id of ids) {
      const path = `/issues/${id}.json?include=journals,attachments,relations`;
      found.push((await this.send('GET', path)).issue);
    }
    return found;
  }
}
