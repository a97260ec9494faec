import { Body, Controller, Get, Post, Query, Req } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { TextField } from './fields';
import { PartialDto } from './partial-dto';
import { RequestDtoCheck } from './request-dto.check';

class NamedDto {
  @TextField({ description: '', max: 10 })
  name: string;
}

class InheritingDto extends PartialDto(NamedDto) {}

// oxlint-disable-next-line typescript/no-extraneous-class -- the mistake that this is about
class EmptyDto {}

class PlainDto {
  name: string;
}

class NothingLeftDto extends PartialDto(NamedDto, { omit: ['name'] }) {}

@Controller('things')
class GoodController {
  @Post()
  add(@Body() _body: NamedDto, @Query() query: InheritingDto): InheritingDto {
    return query;
  }

  @Post('file')
  upload(@Req() request: object): object {
    return request;
  }

  /** Handles nothing. */
  helper(dto: EmptyDto): object {
    return dto;
  }
}

@Controller()
class EmptyBodyController {
  @Post()
  add(@Body() body: EmptyDto): EmptyDto {
    return body;
  }
}

@Controller()
class PlainQueryController {
  @Get()
  list(@Query() query: PlainDto): PlainDto {
    return query;
  }
}

@Controller()
class NothingLeftController {
  @Post()
  change(@Query() _query: NamedDto, @Body() body: NothingLeftDto): NothingLeftDto {
    return body;
  }
}

@Controller()
class InterfaceController {
  @Post()
  add(@Body() body: { name: string }): { name: string } {
    return body;
  }
}

@Controller()
class SingleParameterController {
  @Get()
  list(@Query('name') name: string): string {
    return name;
  }
}

@Controller()
class PartOfBodyController {
  @Post()
  add(@Body('thing') thing: NamedDto): NamedDto {
    return thing;
  }
}

abstract class BaseController {
  @Post()
  add(@Body() body: EmptyDto): EmptyDto {
    return body;
  }
}

@Controller()
class InheritingController extends BaseController {}

describe(RequestDtoCheck.name, () => {
  const start = async (...controllers: (new () => object)[]): Promise<void> => {
    const module = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [RequestDtoCheck],
      controllers,
    }).compile();
    await module.init();
    await module.close();
  };

  it('allows an application to start when its handlers take request DTOs', async () => {
    await expect(start(GoodController)).resolves.toBeUndefined();
  });

  it.each([
    [EmptyBodyController, 'EmptyBodyController.add takes its body as EmptyDto'],
    [PlainQueryController, 'PlainQueryController.list takes its query as PlainDto'],
    [NothingLeftController, 'NothingLeftController.change takes its body as NothingLeftDto'],
    [InterfaceController, 'InterfaceController.add takes its body as Object'],
    [SingleParameterController, 'SingleParameterController.list takes only a part of its query'],
    [PartOfBodyController, 'PartOfBodyController.add takes only a part of its body'],
    [InheritingController, 'InheritingController.add takes its body as EmptyDto'],
  ])('refuses to start an application with %o', async (controller, problem) => {
    await expect(start(GoodController, controller)).rejects.toThrow(problem);
  });

  it('names every invalid handler', async () => {
    await expect(start(EmptyBodyController, PlainQueryController)).rejects.toThrow(
      /EmptyBodyController\.add[^]*PlainQueryController\.list/,
    );
  });
});
