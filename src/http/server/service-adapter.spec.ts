import 'reflect-metadata';
import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  type INestApplication,
  Logger,
  Module,
  Post,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import { type MockInstance } from 'vitest';
import { Environment } from '../../config/environment';
import { ExceptionsFilter } from '../../exception.filter';
import { IdField, TextField } from '../request/fields';
import { FileAnswer } from '../response/file-answer';
import { RequestDtoPipe } from '../request/request-dto.pipe';
import { RequestReaderGuard } from '../request/request-reader.guard';
import { ServiceAdapter } from './service-adapter';

class NameDto {
  @TextField({ description: '', max: 10, optional: true })
  name?: string;

  @IdField({ description: '' })
  id: number;
}

/** The file that the file route sends. */
let file: FileAnswer;

@Controller()
class SampleController {
  @Get('nothing')
  @HttpCode(204)
  getNothing(): void {
    return undefined;
  }

  @Post('nothing')
  postNothing(): void {
    return undefined;
  }

  @Delete('things')
  removeThing(@Body() body: NameDto): NameDto {
    return body;
  }

  @Get('file')
  getFile(): FileAnswer {
    return file;
  }
}

@Module({
  controllers: [SampleController],
  providers: [
    { provide: APP_FILTER, useClass: ExceptionsFilter },
    { provide: APP_GUARD, useClass: RequestReaderGuard },
    { provide: APP_PIPE, useClass: RequestDtoPipe },
  ],
})
class SampleModule {}

const FORM = 'application/x-www-form-urlencoded';

describe(ServiceAdapter.name, () => {
  let app: INestApplication;
  let baseUrl: string;
  let logged: MockInstance;

  beforeAll(async () => {
    app = await NestFactory.create(SampleModule, new ServiceAdapter(new Environment()), {
      bodyParser: false,
      logger: ['fatal'],
    });
    await app.listen(0, '127.0.0.1');
    baseUrl = await app.getUrl();
  });
  beforeEach(() => {
    logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => app.close());

  const call = (method: string, path: string, body?: string, type?: string): Promise<Response> =>
    fetch(`${baseUrl}${path}`, { method, body, headers: type ? { 'Content-Type': type } : {} });

  const refusedFields = async (response: Response): Promise<string[]> => {
    const { errors } = (await response.json()) as { errors: { code: number; moreInfo: string }[] };
    expect([response.status, ...errors.map(({ code }) => code)]).toEqual([400, ...errors.map(() => 7)]);
    return errors.map(({ moreInfo }) => moreInfo);
  };

  it.each(['GET', 'HEAD'])(
    'answers %s with 204, no body and no Content-Type when the handler returns nothing',
    async (method) => {
      const response = await call(method, '/nothing');
      expect(response.status).toBe(204);
      expect(response.headers.has('content-type')).toBe(false);
      expect(await response.text()).toBe('');
    },
  );

  it.each([
    ['JSON', '{"id":1,"name":"a"}', 'application/json'],
    ['a form', 'id=1&name=a', FORM],
  ])('accepts the body of DELETE as %s', async (_what, body, type) => {
    expect(await (await call('DELETE', '/things', body, type)).json()).toEqual({ id: 1, name: 'a' });
  });

  it('names the required field of a DELETE request without a body', async () => {
    expect(await refusedFields(await call('DELETE', '/things'))).toEqual(['id']);
  });

  describe('on a route that takes no body', () => {
    it.each([undefined, FORM, 'application/json', 'multipart/form-data', 'text/plain'])(
      'accepts an empty body of type %s',
      async (type) => {
        expect((await call('POST', '/nothing', '', type)).status).toBe(201);
      },
    );

    it.each([
      ['{}', 'application/json'],
      ['&', FORM],
      ['{"a":1,"b":null}', 'application/json'],
      ['a', 'text/plain'],
    ])('refuses the body %s of type %s with 400', async (body, type) => {
      expect(await refusedFields(await call('POST', '/nothing', body, type))).toEqual(['']);
    });
  });

  describe('when the handler returns a file', () => {
    const fileOf = (open: () => Promise<Readable>): FileAnswer =>
      new FileAnswer({ name: 'a.txt', size: 3, open });

    it('sends the content to GET and the length to HEAD', async () => {
      file = fileOf(() => Promise.resolve(Readable.from([Buffer.from('abc')])));
      expect(await (await call('GET', '/file')).text()).toBe('abc');
      expect((await call('HEAD', '/file')).headers.get('content-length')).toBe('3');
      expect(logged).not.toHaveBeenCalled();
    });

    it('answers 500 when the file cannot be opened', async () => {
      file = fileOf(() => Promise.reject(new Error('Gone.')));
      const response = await call('GET', '/file');
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ errors: [{ code: 1, message: 'Internal error.' }] });
      expect(logged).toHaveBeenCalledTimes(1);
    });

    it('closes the connection and logs an error when reading the file fails', async () => {
      file = fileOf(() =>
        Promise.resolve(
          new Readable({
            read() {
              this.destroy(new Error('Bad disk.'));
            },
          }),
        ),
      );
      await expect(call('GET', '/file').then((response) => response.text())).rejects.toThrow();
      expect(logged).toHaveBeenCalledTimes(1);
    });
  });
});
