import { IssuesService } from '../../src/issues/issues.service';
import { RoleType } from '../../src/access/role-type';
import { activitiesOf } from '../support/records';
import { expectRefused } from '../support/refusals';
import { anId, aTimestamp, errorShape, userShape } from '../support/shapes';
import { type Person, type ProjectFixture, pullRequestComments, useWorld } from '../support/world';

const FIELDS = ['issueId', 'commentId', 'wikiId', 'pullRequestId', 'pullRequestCommentId'] as const;
type Field = (typeof FIELDS)[number];

describe('stars', () => {
  const tested = useWorld();
  let project: ProjectFixture;
  let member: Person;
  let targets: Record<Field, number>;

  beforeEach(async () => {
    project = await tested.world.addProject();
    member = await tested.world.addMember(project);
    targets = await targetsOf(project);
  });

  const targetsOf = async (place: ProjectFixture): Promise<Record<Field, number>> => {
    const { world } = tested;
    const [pullRequest] = await world.dataSource.query<[{ id: number }]>(
      'SELECT id FROM pull_request WHERE project_id = ?',
      [place.id],
    );
    return {
      issueId: place.issueId,
      commentId: await world.addComment(place.issueThreadId, world.admin),
      wikiId: place.wikiId,
      pullRequestId: pullRequest.id,
      pullRequestCommentId: await world.addComment(place.pullRequestThreadId, world.admin),
    };
  };

  interface Star {
    id: number;
    presenter: { id: number };
  }

  /** Returns the stars that each item shows. */
  const shownStars = async (): Promise<Record<Field, Star[]>> => {
    const { api } = tested.world.admin;
    const pullRequest = pullRequestComments(project).replace(/\/comments$/, '');
    const starsOf = async (path: string): Promise<Star[]> =>
      (await api.get<{ stars: Star[] }>(path)).body.stars;
    const [comment] = (await api.get<{ stars: Star[] }[]>(pullRequestComments(project))).body;
    return {
      issueId: await starsOf(`/issues/${project.issueKey}`),
      commentId: await starsOf(`/issues/${project.issueKey}/comments/${targets.commentId}`),
      wikiId: await starsOf(`/wikis/${project.wikiId}`),
      pullRequestId: await starsOf(pullRequest),
      pullRequestCommentId: comment?.stars ?? [],
    };
  };

  describe('POST /stars', () => {
    it.each<[Field, (project: ProjectFixture, id: number) => { title: string; path: string }]>([
      ['issueId', ({ issueKey }) => ({ title: `[${issueKey}] An issue`, path: `/view/${issueKey}` })],
      [
        'commentId',
        ({ issueKey }, id) => ({ title: `[${issueKey}] An issue`, path: `/view/${issueKey}#comment-${id}` }),
      ],
      ['wikiId', ({ wikiId }) => ({ title: 'Home', path: `/alias/wiki/${wikiId}` })],
      [
        'pullRequestId',
        ({ key, repositoryName }) => ({
          title: `[${repositoryName}#1] A pull request`,
          path: `/git/${key}/${repositoryName}/pullRequests/1`,
        }),
      ],
      [
        'pullRequestCommentId',
        ({ key, repositoryName }, id) => ({
          title: `[${repositoryName}#1] A pull request`,
          path: `/git/${key}/${repositoryName}/pullRequests/1#comment-${id}`,
        }),
      ],
    ])('adds a star to the item of %s only, without an activity', async (field, shown) => {
      const { world } = tested;
      const { status, text } = await member.api.post('/stars', { [field]: targets[field] });
      expect({ status, text }).toEqual({ status: 204, text: '' });
      const { title, path } = shown(project, targets[field]);
      const none = { issueId: [], commentId: [], wikiId: [], pullRequestId: [], pullRequestCommentId: [] };
      expect(await shownStars()).toEqual({
        ...none,
        [field]: [
          {
            id: anId,
            comment: '',
            url: expect.stringMatching(/^http:\/\/[^/]+\//),
            title,
            presenter: userShape(member),
            created: aTimestamp,
          },
        ],
      });
      const [star] = (await shownStars())[field] as unknown as [{ url: string }];
      expect(star.url.replace(/^http:\/\/[^/]+/, '')).toBe(path);
      expect(await activitiesOf(world, project)).toEqual([]);
    });

    it('adds one star per user and item, even across simultaneous requests', async () => {
      const other = await tested.world.addMember(project, RoleType.GuestViewer);
      const answers = await Promise.all(
        [member, member, other, member, other].map(({ api }) =>
          api.post('/stars', { commentId: targets.commentId }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(204));
      const { commentId } = await shownStars();
      expect(commentId.map(({ presenter }) => presenter.id).sort()).toEqual([member.id, other.id].sort());
      const before = await shownStars();
      expect((await member.api.post('/stars', { commentId: targets.commentId })).status).toBe(204);
      expect(await shownStars()).toEqual(before);
    });

    it('accepts a form with an empty field', async () => {
      const form = new URLSearchParams({ issueId: String(project.issueId), commentId: '' });
      expect((await member.api.post('/stars', form)).status).toBe(204);
      expect((await shownStars()).issueId).toHaveLength(1);
    });

    it('truncates a title above 255 characters', async () => {
      const { world } = tested;
      await world.dataSource.query('UPDATE issue SET summary = ? WHERE id = ?', [
        '💡'.repeat(255),
        project.issueId,
      ]);
      expect((await member.api.post('/stars', { issueId: project.issueId })).status).toBe(204);
      const [star] = (await shownStars()).issueId as unknown as [{ title: string }];
      const head = `[${project.issueKey}] `;
      expect(star.title).toBe(head + '💡'.repeat(255 - head.length));
    });

    it.each<[string, (project: ProjectFixture) => object, string[]]>([
      ['an empty body', () => ({}), [FIELDS.join(', ')]],
      ['only null values', () => ({ issueId: null, wikiId: null }), [FIELDS.join(', ')]],
      ['two items', ({ issueId, wikiId }) => ({ issueId, wikiId }), ['issueId', 'wikiId']],
      ['an unknown field', ({ issueId }) => ({ issueId, comment: 'Well done' }), ['comment']],
      ['a key instead of an id', () => ({ issueId: 'DEMO-1' }), ['issueId']],
    ])('refuses %s and stores nothing', async (_what, body, fields) => {
      const given = body(project);
      await expectRefused(tested.world, () => member.api.post('/stars', given), fields);
    });

    it.each(FIELDS)('refuses a %s that is unknown, in another project or of another kind', async (field) => {
      const { world } = tested;
      const elsewhere = await targetsOf(await world.addProject());
      const ids = [999_999, elsewhere[field]];
      if (field === 'commentId') ids.push(targets.pullRequestCommentId);
      if (field === 'pullRequestCommentId') ids.push(targets.commentId);
      for (const id of ids) {
        await expectRefused(world, () => member.api.post('/stars', { [field]: id }), [field]);
      }
    });

    it.each([RoleType.Reporter, RoleType.Viewer, RoleType.GuestReporter, RoleType.GuestViewer])(
      'allows role %d to star everything but git items',
      async (role) => {
        const { world } = tested;
        const person = await world.addMember(project, role);
        const statuses: Record<string, number> = {};
        for (const field of FIELDS) {
          statuses[field] = (await person.api.post('/stars', { [field]: targets[field] })).status;
        }
        expect(statuses).toEqual({
          issueId: 204,
          commentId: 204,
          wikiId: 204,
          pullRequestId: 400,
          pullRequestCommentId: 400,
        });
      },
    );

    it('answers 400 when the item is deleted just before the write', async () => {
      const { world } = tested;
      const issues = world.service(IssuesService);
      const shown = { title: 'Gone', url: 'https://example.com/' };
      const gone = { ...shown, threadId: 999_999, projectId: project.id, authorId: member.id };
      const spy = vi.spyOn(issues, 'findStarrable').mockResolvedValueOnce(gone);
      try {
        const answer = await member.api.post('/stars', { issueId: project.issueId });
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(errorShape(7, ['issueId']));
      } finally {
        spy.mockRestore();
      }
    });
  });

  describe('DELETE /stars/{starId}', () => {
    const addStar = async (person: Person, field: Field): Promise<number> => {
      await person.api.post('/stars', { [field]: targets[field] });
      const stars = (await shownStars())[field];
      return stars.find(({ presenter }) => presenter.id === person.id)?.id ?? 0;
    };

    it.each(FIELDS)('removes the given star on a %s and no other', async (field) => {
      const other = await addStar(tested.world.admin, field);
      const id = await addStar(member, field);
      const { status, text } = await member.api.delete(`/stars/${id}`);
      expect({ status, text }).toEqual({ status: 204, text: '' });
      expect((await shownStars())[field]).toMatchObject([{ id: other }]);
      expect((await member.api.delete(`/stars/${id}`)).status).toBe(404);
    });

    it('succeeds once among simultaneous requests', async () => {
      const id = await addStar(member, 'issueId');
      const answers = await Promise.all(Array.from({ length: 6 }, () => member.api.delete(`/stars/${id}`)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404]);
    });

    it.each([RoleType.Reporter, RoleType.Viewer, RoleType.GuestReporter, RoleType.GuestViewer])(
      'answers 404 to role %d for stars on git items',
      async (role) => {
        const { world } = tested;
        const other = await world.addMember(project);
        for (const field of ['pullRequestId', 'pullRequestCommentId'] as const) {
          for (const { api } of [member, other]) await api.post('/stars', { [field]: targets[field] });
        }
        const { pullRequestId, pullRequestCommentId } = await shownStars();
        const stars = [...pullRequestId, ...pullRequestCommentId];
        expect(stars).toHaveLength(4);
        await world.admin.api.patch(`/users/${member.id}`, { roleType: role });
        const missing = await member.api.delete('/stars/999999999');
        for (const { id } of stars) {
          const { status, text } = await member.api.delete(`/stars/${id}`);
          expect([id, status, text]).toEqual([id, 404, missing.text]);
        }
        const left = await shownStars();
        const ids = [...left.pullRequestId, ...left.pullRequestCommentId].map(({ id }) => id);
        expect(ids).toEqual(stars.map(({ id }) => id));
      },
    );

    it('answers 403 to other users, and 404 without access to the project', async () => {
      const { world } = tested;
      const id = await addStar(member, 'wikiId');
      const stranger = await world.addUser();
      expect((await world.admin.api.delete(`/stars/${id}`)).status).toBe(403);
      expect((await stranger.api.delete(`/stars/${id}`)).status).toBe(404);
      expect((await shownStars()).wikiId).toMatchObject([{ id }]);
    });
  });
});
