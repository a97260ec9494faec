import { Comment } from '../../src/comments/entities/comment.entity';
import { foldText } from '../../src/database/sql/contains';
import { insertRows } from '../../src/database/sql/rows';
import { TransactionsService } from '../../src/database/transactions/transactions.service';
import { SearchIndexBuilderService } from '../../src/search-index/search-index-builder.service';
import { SearchIndexRepository } from '../../src/search-index/data/search-index.repository';
import { GRAMS_VERSION } from '../../src/search-index/grams';
import { IndexLease, RunEndedError } from '../../src/search-index/index-lease';
import { SearchIndexService } from '../../src/search-index/search-index.service';
import { SearchKind } from '../../src/search-index/search-kind';
import { isEmbedded, itOnServer } from '../support/engines';
import { addIssue } from '../support/issues';
import { statementsOf } from '../support/records';
import { type Person, type ProjectFixture, useWorld, type World } from '../support/world';

/** Blocks are so small that a test fills many; those of comments are larger. */
const BLOCK_SIZE = 8;
const COMMENTS = 32;
const AT_ONCE = { settledMs: 0, minChanges: 1 };
/** Matches a statement that was narrowed down by the index. */
const NARROWED = /NOT INDEXED|FORCE INDEX \(PRIMARY\)/;

/** Starts to index texts of a kind, in small blocks. */
const begin = (world: World, kind: SearchKind): Promise<unknown> =>
  world.dataSource.query(
    `INSERT INTO search_index (kind, block_size, blocks, version, builder, leased_until, created, rewrites)
     VALUES (?, ?, 0, ?, '', 0, 0, 0)`,
    [kind, kind === SearchKind.Comment ? COMMENTS : BLOCK_SIZE, GRAMS_VERSION],
  );

const ALL = [SearchKind.Issue, SearchKind.Comment, SearchKind.Document];

/** Returns a generator of deterministic numbers, so that a run can be repeated. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

describe('the search index', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let builder: SearchIndexBuilderService;

  beforeAll(async () => {
    const { world } = tested;
    project = await world.addProject();
    member = await world.addMember(project);
    builder = world.service(SearchIndexBuilderService);
    await member.api.patch(`/issues/${project.issueId}`, {
      description: 'Changed before anything is indexed',
    });
    expect(await world.dataSource.query('SELECT id FROM search_change')).toEqual([]);
    for (const kind of ALL) await begin(world, kind);
  });

  const blocksOf = async (kind: SearchKind): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ blocks: number }]>(
      'SELECT blocks FROM search_index WHERE kind = ?',
      [kind],
    );
    return row.blocks;
  };

  const found = async (keyword: string, path = '/issues'): Promise<unknown[]> => {
    const query = `keyword=${encodeURIComponent(keyword)}&count=100`;
    const { status, body } = await member.api.get<{ id: unknown }[]>(`${path}?${query}`);
    expect(status).toBe(200);
    return body.map(({ id }) => id).sort();
  };

  const isNarrowed = async (keyword: string): Promise<boolean> =>
    (await statementsOf(tested.world, () => found(keyword))).some((sql) => NARROWED.test(sql));

  const addComment = async (issueId: number, content: string): Promise<number> => {
    const { body } = await member.api.post<{ id: number }>(`/issues/${issueId}/comments`, { content });
    return body.id;
  };

  /** Adds comments one by one, without requests. */
  const addComments = async (issueId: number, count: number, word: string): Promise<number[]> => {
    const [{ threadId }] = await tested.world.dataSource.query<[{ threadId: number }]>(
      'SELECT thread_id AS threadId FROM issue WHERE id = ?',
      [issueId],
    );
    const ids: number[] = [];
    while (ids.length < count)
      ids.push(await tested.world.addComment(threadId, member, `${word} ${ids.length}`));
    return ids;
  };

  /** Writes comments as an import does, in one transaction. */
  const writeComments = (length: number, content: string, created: number): Promise<void> =>
    tested.world.write(async (manager) => {
      const [threadId, createdUserId] = [project.issueThreadId, member.id];
      const comment = { threadId, content, changeLog: [], createdUserId, created, updated: created };
      await insertRows(
        manager,
        Comment,
        Array.from({ length }, () => comment),
      );
    });

  it('finds what a scan of all texts finds, after additions, updates and deletions', async () => {
    const number = numbersFrom(873);
    const WORDS = [
      'Straße',
      'STRASSE',
      'fire',
      'Fired',
      'mis-fire',
      '消防車',
      '防車',
      '🚒🚒',
      'Привет',
      'x%y',
      "it's",
    ];
    const LOOKED_FOR = [...WORDS, 'ire', 'ИВЕТ', '防', 'asse', 'ß', 'nowhere', 'fire stra', 'IRED 消防'];
    const text = (): string =>
      Array.from({ length: 1 + number(3) }, () => WORDS[number(WORDS.length)]).join(' ');
    const issues = new Map<number, { own: string[]; comments: Map<number, string> }>();
    const documents = new Map<string, string[]>();
    const ids = (): number[] => [...issues.keys()];
    const anIssue = (): number => ids()[number(issues.size)] as number;

    const changes = [
      async () => {
        const [summary, description] = [text(), text()];
        const { id } = await addIssue(member, project, { summary, description });
        issues.set(id, { own: [summary, description], comments: new Map() });
      },
      async () => {
        const issueId = anIssue();
        const content = text();
        issues.get(issueId)?.comments.set(await addComment(issueId, content), content);
      },
      async () => {
        const issueId = anIssue();
        const summary = text();
        await member.api.patch(`/issues/${issueId}`, { summary });
        issues.get(issueId)?.own.splice(0, 1, summary);
      },
      async () => {
        const issueId = anIssue();
        const comments = issues.get(issueId)?.comments ?? new Map<number, string>();
        const [commentId] = comments.keys();
        if (commentId === undefined) return;
        const content = text();
        await member.api.patch(`/issues/${issueId}/comments/${commentId}`, { content });
        comments.set(commentId, content);
      },
      async () => {
        const title = text();
        const { body } = await member.api.post<{ id: string }>('/documents', {
          projectId: project.id,
          title,
        });
        documents.set(body.id, [title]);
      },
      async () => {
        const [uid] = documents.keys();
        if (uid === undefined) return;
        const title = text();
        await member.api.patch(`/documents/${uid}`, { title });
        documents.set(uid, [title]);
      },
      async () => {
        if (issues.size < 10) return;
        const issueId = anIssue();
        await tested.world.admin.api.delete(`/issues/${issueId}`);
        issues.delete(issueId);
      },
    ];
    const WEIGHTS = [0, 0, 0, 1, 1, 1, 1, 1, 2, 3, 4, 4, 5, 6];
    const has = (texts: readonly string[], keyword: string): boolean =>
      keyword.split(' ').every((word) => texts.some((each) => foldText(each).includes(foldText(word))));

    let narrowed = 0;
    let indexed = 0;
    const compare = async (): Promise<void> => {
      for (const keyword of LOOKED_FOR) {
        const statements = await statementsOf(tested.world, async () => {
          const expected = [...issues]
            .filter(([, { own, comments }]) => has([...own, ...comments.values()], keyword))
            .map(([id]) => id);
          expect(await found(keyword)).toEqual(expected.sort());
          const { body } = await member.api.get(`/issues/count?keyword=${encodeURIComponent(keyword)}`);
          expect(body).toEqual({ count: expected.length });
        });
        if (statements.some((sql) => NARROWED.test(sql))) narrowed++;
        const inTitles = [...documents].filter(([, [title = '']]) =>
          foldText(title).includes(foldText(keyword)),
        );
        expect(await found(keyword, '/documents')).toEqual(inTitles.map(([uid]) => uid).sort());
      }
    };

    for (let step = 0; step < 160; step++) {
      if (issues.size === 0) await changes[0]?.();
      await changes[WEIGHTS[number(WEIGHTS.length)] as number]?.();
      if (step % 20 === 7) await builder.build(AT_ONCE);
      if (step % 20 !== 9) continue;
      const counts = await Promise.all([blocksOf(SearchKind.Issue), blocksOf(SearchKind.Comment)]);
      if (Math.max(...counts) > 0) indexed++;
      await compare();
    }
    expect(indexed).toBeGreaterThan(3);
    // All except `防` and `ß` have grams.
    expect(narrowed).toBe((LOOKED_FOR.length - 2) * indexed);
    for (const kind of ALL) expect(await blocksOf(kind)).toBeGreaterThan(0);
  });

  it('leaves recent texts and few changes unindexed, and still finds them', async () => {
    const before = await blocksOf(SearchKind.Comment);
    await addComments(project.issueId, 2 * COMMENTS, 'Quokka');
    await builder.build({ settledMs: 600_000, minChanges: 200 });
    expect(await blocksOf(SearchKind.Comment)).toBe(before);
    expect(await found('quokka')).toEqual([project.issueId]);
    await builder.build(AT_ONCE);
    expect(await blocksOf(SearchKind.Comment)).toBeGreaterThan(before);
    expect(await found('quokka')).toEqual([project.issueId]);
  });

  it('waits until a block has settled, even if its records say that they are old', async () => {
    const before = await blocksOf(SearchKind.Comment);
    await writeComments(2 * COMMENTS, 'An imported kakapo', 1);
    const settling = { settledMs: 600_000, minChanges: 200 };
    await builder.build(settling);
    expect(await blocksOf(SearchKind.Comment)).toBe(before);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 600_000);
    await builder.build(settling);
    now.mockRestore();
    expect(await blocksOf(SearchKind.Comment)).toBeGreaterThan(before);
    expect(await isNarrowed('kakapo')).toBe(true);
    expect(await found('kakapo')).toEqual([project.issueId]);
  });

  it('finds texts that were written below others with reserved ids, once they are indexed again', async () => {
    const { world } = tested;
    const first = await addComment(project.issueId, 'The first takahe');
    await writeComments(3 * COMMENTS, 'Behind the reserved ids', Date.now());
    await builder.build(AT_ONCE);
    const before = await blocksOf(SearchKind.Comment);
    expect(before * COMMENTS).toBeGreaterThan(first);
    await world.dataSource.query('UPDATE comment SET content = ? WHERE id = ?', ['A kea', first]);
    expect(await found('kea ')).toEqual([]);
    await world.write((manager) =>
      world.service(SearchIndexService).restartFrom(manager, SearchKind.Comment, first),
    );
    expect(await blocksOf(SearchKind.Comment)).toBe(Math.floor(first / COMMENTS));
    expect(await found('a kea')).toEqual([project.issueId]);
    await builder.build(AT_ONCE);
    expect(await blocksOf(SearchKind.Comment)).toBe(before);
    expect(await isNarrowed('a kea')).toBe(true);
    expect(await found('a kea')).toEqual([project.issueId]);
  });

  it('finds a word elsewhere when one issue contains it thousands of times', async () => {
    await writeComments(2100, 'A numbat', Date.now());
    const { id } = await addIssue(member, project, { summary: 'Numbats' });
    expect(await found('numbat')).toEqual([project.issueId, id].sort());
    const { id: another } = await addIssue(member, project, { summary: 'Another' });
    await addComment(another, 'A numbat');
    expect(await found('numbat')).toEqual([project.issueId, id, another].sort());
    await builder.build(AT_ONCE);
    expect(await found('numbat')).toEqual([project.issueId, id, another].sort());
  });

  it('drops recorded changes once they are indexed', async () => {
    await member.api.patch(`/issues/${project.issueId}`, { description: 'A platypus' });
    const changes = (): Promise<unknown[]> => tested.world.dataSource.query('SELECT id FROM search_change');
    expect(await changes()).not.toEqual([]);
    expect(await found('platypus')).toEqual([project.issueId]);
    await builder.build(AT_ONCE);
    expect(await changes()).toEqual([]);
    expect(await found('platypus')).toEqual([project.issueId]);
  });

  it('lets one process write at a time, and another once its lease has expired', async () => {
    const { dataSource } = tested.world;
    const lease = (until: number): Promise<unknown> =>
      dataSource.query("UPDATE search_index SET builder = 'another', leased_until = ?", [until]);
    await addComments(project.issueId, 2 * COMMENTS, 'Wombat');
    const before = await blocksOf(SearchKind.Comment);
    await lease(Date.now() + 60_000);
    await builder.build(AT_ONCE);
    expect(await blocksOf(SearchKind.Comment)).toBe(before);
    expect(await found('wombat')).toEqual([project.issueId]);
    await lease(Date.now() - 1);
    await builder.build(AT_ONCE);
    expect(await blocksOf(SearchKind.Comment)).toBeGreaterThan(before);
    expect(await found('wombat')).toEqual([project.issueId]);
  });

  it('stops a run whose lease was taken over, even after the new one is released', async () => {
    const { world } = tested;
    const newLease = (): IndexLease =>
      new IndexLease(
        world.service(TransactionsService),
        world.service(SearchIndexRepository),
        SearchKind.Comment,
        () => false,
      );
    const [one, another] = [newLease(), newLease()];
    expect(await one.take()).toBe(true);
    expect(await another.take()).toBe(false);
    await one.prolong();
    await world.dataSource.query('UPDATE search_index SET leased_until = 1');
    expect(await another.take()).toBe(true);
    await another.release();
    await expect(one.prolong()).rejects.toThrow(RunEndedError);
    await one.release();
    expect(await another.take()).toBe(true);
    await another.release();
  });

  it('goes unused while a block is replaced, until the next run completes it', async () => {
    const { dataSource } = tested.world;
    await dataSource.query('UPDATE search_index SET rewriting = 1');
    await dataSource.query('DELETE FROM search_posting WHERE block = 1');
    expect(await isNarrowed('wombat')).toBe(false);
    await builder.build(AT_ONCE);
    expect(await isNarrowed('wombat')).toBe(true);
    expect(await found('wombat')).toEqual([project.issueId]);
  });

  it('drops deleted texts once there are many', async () => {
    const { dataSource } = tested.world;
    const ids = await addComments(project.issueId, 6 * COMMENTS, 'Dingo');
    await builder.build(AT_ONCE);
    const postings = async (): Promise<number> => {
      const [row] = await dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM search_posting WHERE kind = ?',
        [SearchKind.Comment],
      );
      return Number(row.count);
    };
    const before = await postings();
    for (const id of ids) await member.api.delete(`/issues/${project.issueId}/comments/${id}`);
    // Each run processes some blocks.
    for (let run = 0; run < 30; run++) await builder.build(AT_ONCE);
    expect(await postings()).toBeLessThan(before);
    const [worn] = await dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM search_posting
        WHERE kind = ? AND block = (SELECT MAX(block) FROM search_block WHERE kind = ? AND records = 0)`,
      [SearchKind.Comment, SearchKind.Comment],
    );
    expect(Number(worn.count)).toBe(0);
    expect(await found('dingo')).toEqual([]);
    expect(await found('wombat')).toEqual([project.issueId]);
  });

  it('goes unused while many texts are missing in it', async () => {
    const { id } = await addIssue(member, project, { summary: 'Quoll' });
    expect(await isNarrowed('quoll')).toBe(true);
    await addComments(id, 10 * COMMENTS, 'Quoll');
    expect(await isNarrowed('quoll')).toBe(false);
    expect(await found('quoll')).toEqual([id]);
    await builder.build(AT_ONCE);
    expect(await isNarrowed('quoll')).toBe(true);
  });

  it('goes unused while it has an older version, until it is rebuilt', async () => {
    const { dataSource } = tested.world;
    const before = await blocksOf(SearchKind.Comment);
    await dataSource.query("UPDATE search_index SET version = '0-1.0'");
    expect(await isNarrowed('wombat')).toBe(false);
    await builder.build(AT_ONCE);
    expect(await blocksOf(SearchKind.Comment)).toBe(before);
    expect(await isNarrowed('wombat')).toBe(true);
    expect(await found('wombat')).toEqual([project.issueId]);
  });

  it('stays unchanged under an older version of the service', async () => {
    const { dataSource } = tested.world;
    const newer = `${GRAMS_VERSION}9`;
    await dataSource.query('UPDATE search_index SET version = ?', [newer]);
    await member.api.patch(`/issues/${project.issueId}`, { description: 'An echidna' });
    await builder.build(AT_ONCE);
    expect(await found('echidna')).toEqual([project.issueId]);
    expect(await dataSource.query('SELECT DISTINCT version FROM search_index')).toEqual([{ version: newer }]);
    await dataSource.query('UPDATE search_index SET version = ?', [GRAMS_VERSION]);
  });

  itOnServer(
    'reads every table by key alone, even on a server whose statistics show a small table',
    async () => {
      const { dataSource } = tested.world;
      const sent: [sql: string, parameters: unknown[]][] = [];
      const spy = vi
        .spyOn(dataSource.logger, 'logQuery')
        .mockImplementation((sql, parameters) => void sent.push([sql, parameters as unknown[]]));
      await found('wombat');
      spy.mockRestore();
      const read: string[] = [];
      for (const [sql, parameters] of sent) {
        if (!/^SELECT (?:block, gram|c\.thread_id|i\.id)/.test(sql)) continue;
        const steps = await dataSource.query<{ table: string | null; type: string | null }[]>(
          `EXPLAIN ${dataSource.options.type === 'mysql' ? 'FORMAT=TRADITIONAL' : ''} ${sql}`,
          parameters,
        );
        for (const { table, type } of steps) if (table !== null) read.push(`${table} by ${String(type)}`);
      }
      const tables = new Set(read.map((step) => step.split(' ')[0]));
      expect([...tables]).toEqual(expect.arrayContaining(['search_posting', 'c', 'i']));
      expect(read.filter((step) => /by (?:ALL|index)$/.test(step) && !step.startsWith('<union'))).toEqual([]);
    },
  );

  it('finds new texts with ids below indexed ones, as servers with id blocks assign them', async () => {
    const { dataSource } = tested.world;
    const last = await addComment(project.issueId, 'The last one');
    const settled = Date.now() - 600_000;
    const ahead = last + 10 * COMMENTS;
    await dataSource.query(
      `INSERT INTO comment (id, thread_id, content, change_log, created_user_id, created, updated)
        VALUES (?, ?, 'Assigned by another server', '[]', ?, ?, ?)`,
      [ahead, project.issueThreadId, member.id, settled, settled],
    );
    await builder.build(AT_ONCE);
    expect((await blocksOf(SearchKind.Comment)) * COMMENTS).toBeGreaterThan(last + COMMENTS);
    // The next id is again the one after the last.
    await dataSource.query('DELETE FROM comment WHERE id = ?', [ahead]);
    await dataSource.query(
      isEmbedded
        ? `UPDATE sqlite_sequence SET seq = ${last} WHERE name = 'comment'`
        : `ALTER TABLE comment AUTO_INCREMENT = ${last + 1}`,
    );
    const ids = [
      await addComment(project.issueId, 'A late bilby'),
      await addComment(project.issueId, 'Another bilby'),
    ];
    expect(Math.max(...ids)).toBeLessThan(ahead);
    expect(await isNarrowed('bilby')).toBe(true);
    expect(await found('bilby')).toEqual([project.issueId]);
    await builder.build(AT_ONCE);
    expect(await dataSource.query('SELECT id FROM search_change')).toEqual([]);
    expect(await isNarrowed('bilby')).toBe(true);
    expect(await found('bilby')).toEqual([project.issueId]);
  });

  it('records a new text as a change only when the largest known id is outdated', async () => {
    const { world } = tested;
    const index = world.service(SearchIndexService);
    const changes = async (): Promise<number> =>
      (await world.dataSource.query<unknown[]>('SELECT id FROM search_change')).length;
    await index.readLastIds();
    const before = await changes();
    await addComment(project.issueId, 'In order');
    expect(await changes()).toBe(before);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() - 480_000);
    await index.readLastIds();
    now.mockRestore();
    await addComment(project.issueId, 'In order, long after the last look');
    expect(await changes()).toBe(before + 1);
    await builder.build(AT_ONCE);
  });
});
