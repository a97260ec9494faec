import 'reflect-metadata';
import {
  Body,
  Controller,
  Delete,
  Get,
  type INestApplication,
  Module,
  Query,
  SetMetadata,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiProperty, ApiTags, type OpenAPIObject } from '@nestjs/swagger';
import Ajv from 'ajv';
import { ACCESS_RULE } from '../access/access';
import { Environment, readEnvironment } from '../config/environment';
import { EnumField, IdField, IdListField } from '../http/request/fields';
import { type FileAnswer } from '../http/response/file-answer';
import { PartialDto } from '../http/request/partial-dto';
import { RefuseUnknownParameters } from '../http/request/unknown-names';
import { createOpenApiDocument } from './document';
import { Operation } from './operation';
import { NullableProperty } from './properties';

const ENVIRONMENT = readEnvironment({ BASE_PATH: '/', MAX_USERS: '7', MAX_UNATTACHED_FILES: '0' });

class OwnerDto {
  @ApiProperty({ example: 'Dana' })
  name: string;
}

class ThingDto {
  @NullableProperty(() => OwnerDto, { description: 'Who has it.' })
  owner: OwnerDto | null;

  @NullableProperty(() => OwnerDto, { example: null })
  formerOwner: OwnerDto | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  note: string | null;
}

class AddThingDto {
  @EnumField({ description: 'Priority.', values: ['low', 'high'], default: 'low', optional: true })
  priority: string = 'low';

  @IdField({ description: 'Id of the owner.', example: 1 })
  ownerId: number;
}

class UpdateThingDto extends PartialDto(AddThingDto, { nullable: ['priority'] }) {}

class ThingsQuery {
  @IdField({ description: 'Id of the project.', example: 1 })
  projectIdOrKey: number;

  @IdListField({ description: 'Ids of owners.', optional: true, example: [1] })
  ownerId: number[] = [];
}

@RefuseUnknownParameters()
class StrictThingsQuery {
  @IdListField({ description: 'Ids of owners.', optional: true })
  ownerId: number[] = [];
}

@ApiTags('Stars')
@Controller('things')
class ThingsController {
  @Get()
  @Operation({ summary: 'List things', returns: [ThingDto] })
  @SetMetadata(ACCESS_RULE, { roles: [], fromQuery: ['projectIdOrKey'] })
  listThings(@Query() query: ThingsQuery): unknown {
    return query;
  }

  @Delete(':starId')
  @Operation({
    summary: 'Remove a thing',
    returns: 'nothing',
    countLimit: ['user', 'unattachedFile', 'project'],
  })
  removeThing(@Body() body: UpdateThingDto): unknown {
    return body;
  }

  @Get(':attachmentId')
  @Operation({ summary: 'Download a thing', returns: 'file' })
  downloadThing(): FileAnswer | undefined {
    return undefined;
  }
}

@ApiTags('Stars')
@Controller('strict-things')
class StrictThingsController {
  @Get()
  @Operation({ summary: 'List strict things', returns: [ThingDto] })
  listStrictThings(@Query() query: StrictThingsQuery): unknown {
    return query;
  }
}

@Module({
  controllers: [ThingsController, StrictThingsController],
  providers: [{ provide: Environment, useValue: ENVIRONMENT }],
})
class ThingsModule {}

describe(createOpenApiDocument.name, () => {
  let app: INestApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    app = await NestFactory.create(ThingsModule, { logger: ['fatal'] });
    await app.init();
    document = createOpenApiDocument(app);
  });
  afterAll(() => app.close());

  it('lists only the tags that are used', () => {
    expect(document.tags?.map(({ name }) => name)).toEqual(['Stars']);
  });

  it('describes an operation that returns nothing with status 204 alone', () => {
    const { responses, requestBody } = document.paths['/things/{starId}']?.delete ?? {};
    expect(responses?.[204]).toEqual({ description: 'Done.' });
    expect(responses).not.toHaveProperty('200');
    expect(requestBody).toBeDefined();
  });

  it('describes the errors of all count limits under status 409', () => {
    expect(document.paths['/things/{starId}']?.delete?.responses[409]).toMatchObject({
      content: {
        'application/json': {
          examples: {
            ResourceOverflowError: { value: { errors: [{ message: 'A space can have at most 7 users.' }] } },
            ResourceOverflowError2: {
              value: { errors: [{ message: 'Project limit. A space can have at most 5000 projects.' }] },
            },
          },
        },
      },
    });
    expect(document.paths['/things']?.get?.responses).not.toHaveProperty('409');
  });

  it('describes a file as binary', () => {
    expect(document.paths['/things/{attachmentId}']?.get?.responses[200]).toMatchObject({
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
      headers: { 'Content-Disposition': { required: true } },
    });
  });

  it('describes the 404 for a project named in the query', () => {
    expect(document.paths['/things']?.get?.responses[404]).toMatchObject({
      content: {
        'application/json': {
          examples: { Project: { value: { errors: [{ message: 'No such project.' }] } } },
        },
      },
    });
  });

  it('describes the refusal of unknown parameters and fields where they are refused', () => {
    const examples = ({ responses }: { responses?: object } = {}): string[] => {
      const refused = (responses as Record<string, { content: Record<string, { examples: object }> }>)[400];
      return Object.keys(refused?.content['application/json']?.examples ?? {});
    };
    const things = document.paths['/things'];
    expect(examples(things?.get)).toEqual(['Incomplete', 'UnexpectedBody']);
    expect(examples(document.paths['/strict-things']?.get)).toEqual(['UnknownParameter', 'UnexpectedBody']);
    expect(examples(document.paths['/things/{starId}']?.delete)).toEqual(['UnknownField']);
  });

  it('describes a list in the query as an array parameter', () => {
    expect(document.paths['/things']?.get?.parameters).toContainEqual(
      expect.objectContaining({
        name: 'ownerId',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ type: 'array' }) as unknown,
      }),
    );
  });

  it('describes the body of a change without required fields and defaults', () => {
    expect(document.components?.schemas?.UpdateThing).toEqual({
      type: 'object',
      properties: {
        priority: {
          type: 'string',
          nullable: true,
          enum: ['low', 'high', null],
          description: 'Priority.',
        },
        ownerId: expect.objectContaining({ type: 'integer', format: 'int64', example: 1 }) as unknown,
      },
    });
  });

  it('allows null, and an example, for a nullable object', () => {
    const { components } = document;
    const ajv = new Ajv({ strict: false });
    const validate = ajv.compile({ $ref: '#/components/schemas/Thing', components });

    for (const owned of [null, { name: 'Dana' }]) {
      expect(validate({ owner: owned, formerOwner: owned, note: null })).toBe(true);
    }
    for (const owned of [{}, 'Dana', 1]) {
      expect(validate({ owner: owned, formerOwner: null, note: 'a' })).toBe(false);
    }
    const answer = document.paths['/things']?.get?.responses[200];
    expect(answer).toMatchObject({
      content: {
        'application/json': { example: [{ owner: { name: 'Dana' }, formerOwner: null, note: null }] },
      },
    });
  });
});
