import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port';
import { launchService, type LaunchedServer } from '../support/processes';
import { type Workspace } from '../support/workspace';
import { type Random } from '../support/random';

/** Share of the kills that hit a process while it is starting. */
const KILLED_WHILE_STARTING = 0.1;
const LONGEST_LIFE_MS = 400;
const LONGEST_START_MS = 1500;

/** The processes of one service, each of which keeps its port. */
export class Services {
  private constructor(
    private readonly launched: LaunchedServer[],
    private readonly launch: (position: number) => LaunchedServer,
  ) {}

  /** @param urlOf the `DATABASE_URL` of the process at a position */
  static async start(
    workspace: Workspace,
    urlOf: (position: number) => string,
    count: number,
    settings: Record<string, string>,
  ): Promise<Services> {
    const ports: number[] = [];
    while (ports.length < count) ports.push(await freePort());
    const launch = (position: number): LaunchedServer =>
      launchService(workspace, urlOf(position), ports[position] as number, settings);
    const services = new Services(
      ports.map((_port, position) => launch(position)),
      launch,
    );
    await services.ready();
    return services;
  }

  get origins(): string[] {
    return this.launched.map(({ origin }) => origin);
  }

  async ready(): Promise<void> {
    await Promise.all(this.launched.map(({ ready }) => ready));
  }

  /** Kills one process at a random moment and starts it again immediately. */
  async killOne(random: Random): Promise<void> {
    const position = random.integer(0, this.launched.length - 1);
    const service = this.launched[position] as LaunchedServer;
    if (random.next() < KILLED_WHILE_STARTING) {
      await sleep(random.integer(0, LONGEST_START_MS));
    } else {
      await service.ready;
      await sleep(random.integer(0, LONGEST_LIFE_MS));
    }
    await service.kill();
    this.launched[position] = this.launch(position);
  }

  async stop(): Promise<void> {
    await Promise.all(this.launched.map((service) => service.stop()));
  }
}
