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
import { Environment } from '../config/environment';
import { EnumField, IdField, IdListField } from '../http/request/fields';
import { type FileAnswer } from '../http/response/file-answer';
import { PartialDto } from '../http/request/partial-dto';
import { createOpenApiDocument } from './document';
import { Operation } from './operation';
import { NullableProperty } from './properties';

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
    countLimit: ['There are too many things.', 'There are too many owners.'],
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

@Module({
  controllers: [ThingsController],
  providers: [{ provide: Environment, useValue: { BASE_PATH: '/' } }],
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

  it('has the tags that are used', () => {
    expect(document.tags?.map(({ name }) => name)).toEqual(['Stars']);
  });

  it('says of an operation that answers nothing just that', () => {
    const { responses, requestBody } = document.paths['/things/{starId}']?.delete ?? {};
    expect(responses?.[204]).toEqual({ description: 'Done.' });
    expect(responses).not.toHaveProperty('200');
    expect(requestBody).toBeDefined();
  });

  it('tells of every count limit', () => {
    expect(document.paths['/things/{starId}']?.delete?.responses[409]).toMatchObject({
      content: {
        'application/json': {
          examples: {
            ResourceOverflowError: { value: { errors: [{ message: 'There are too many things.' }] } },
            ResourceOverflowError2: { value: { errors: [{ message: 'There are too many owners.' }] } },
          },
        },
      },
    });
    expect(document.paths['/things']?.get?.responses).not.toHaveProperty('409');
  });

  it('says of a file that it is bytes', () => {
    expect(document.paths['/things/{attachmentId}']?.get?.responses[200]).toMatchObject({
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      headers: { 'Content-Disposition': { required: true } },
    });
  });

  it('tells of what the query may name, as of what the path does', () => {
    expect(document.paths['/things']?.get?.responses[404]).toMatchObject({
      content: {
        'application/json': {
          examples: { Project: { value: { errors: [{ message: 'No such project.' }] } } },
        },
      },
    });
  });

  it('has lists in a query as a repeated name', () => {
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

  it('allows null, and an example, for an object that may be null', () => {
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
