import { ProjectCountersService, type CounterName } from '../../projects/project-counters.service';
import { countThings, findWrongCounters, type WrongProjectCounter } from '../data/counters';
import { type Repair } from './repair';

interface Subject {
  projectId: number;
  name: CounterName;
}

/** Sets counters of projects to the number of their rows, and keeps them from assigning a number again. */
export const counters: Repair<Subject> = {
  check: 'counters',

  async *find({ snapshot }) {
    for await (const wrong of findWrongCounters(snapshot)) {
      yield { line: describe(wrong), subject: { projectId: wrong.projectId, name: wrong.name } };
    }
  },

  fix: (services, { projectId, name }) =>
    services(ProjectCountersService).correct(projectId, name, async (manager) => {
      const { things, highest } = await countThings(manager, projectId, name);
      return { used: things, atLeast: highest };
    }),
};

function describe({ projectKey, name, used, lastNumber, things, highest }: WrongProjectCounter): string {
  const parts = [
    used === things ? undefined : `counts ${used}, and there are ${things}`,
    lastNumber >= highest ? undefined : `would assign ${lastNumber + 1} next, but ${highest} exists`,
  ];
  return `${name} of ${projectKey} ${parts.filter((part) => part !== undefined).join('; it ')}.`;
}
