import { amountsOf, Population, PROJECTS } from './population';

const ISSUES = 2000;
const population = new Population(
  Array.from({ length: 500 }, (_, index) => index + 1),
  amountsOf(ISSUES),
);
const issues = Array.from({ length: ISSUES }, (_, issue) => issue);
const comments = Array.from({ length: population.amounts.comments }, (_, comment) => comment);
const membersOf = (project: number): readonly number[] => population.members[project] ?? [];

describe('Population', () => {
  it('assigns members to every project, and the measured callers to their projects', () => {
    expect(population.members).toHaveLength(PROJECTS);
    for (const members of population.members) {
      expect(members.length).toBeGreaterThan(20);
      expect(new Set(members).size).toBe(members.length);
    }
    const projectsOf = (userId: number): number[] =>
      population.members.flatMap((members, project) => (members.includes(userId) ? [project] : []));
    expect(projectsOf(population.userId('memberOfOne'))).toEqual([0]);
    expect(projectsOf(population.userId('memberOfTen'))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(projectsOf(population.userId('administrator'))).toEqual([]);
  });

  it('puts comments on existing issues, about 1 % of them on the first', () => {
    for (const comment of comments)
      expect(population.issueOfComment(comment) * 5).toBeLessThanOrEqual(comment);
    const onTheFirst = comments.filter((comment) => population.issueOfComment(comment) === 0).length;
    expect(onTheFirst / comments.length).toBeCloseTo(0.01, 1);
  });

  it('chooses authors and notified users among the members of the project', () => {
    for (const comment of comments) {
      const project = population.projectOfIssue(population.issueOfComment(comment));
      expect(membersOf(project)).toContain(population.author(project, comment));
      const notified = population.notified(project, comment);
      if (notified !== undefined) expect(membersOf(project)).toContain(notified);
    }
  });

  it('nests child issues one level deep, within one project', () => {
    const parents = new Set<number>();
    for (const issue of issues) {
      const parent = population.parentOf(issue);
      if (parent === undefined) continue;
      parents.add(parent);
      expect(parent).toBeLessThan(issue);
      expect(population.projectOfIssue(parent)).toBe(population.projectOfIssue(issue));
    }
    for (const parent of parents) expect(population.parentOf(parent)).toBeUndefined();
  });
});
