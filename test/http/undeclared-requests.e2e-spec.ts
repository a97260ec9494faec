import { Body, Controller, Post } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants';
import { Public } from '../../src/access/access';
import { HealthModule } from '../../src/health/health.module';
import { Applications } from '../support/applications';

class PlainDto {
  text?: string;
}

@Controller('health')
class CarelessController {
  @Public()
  @Post('report')
  report(@Body() body: PlainDto): PlainDto {
    return body;
  }
}

describe('a handler whose body declares no fields', () => {
  const applications = new Applications();
  const controllers = Reflect.getMetadata(MODULE_METADATA.CONTROLLERS, HealthModule) as unknown[];

  beforeAll(() => applications.setUp());

  afterAll(async () => {
    Reflect.defineMetadata(MODULE_METADATA.CONTROLLERS, controllers, HealthModule);
    await applications.tearDown();
  });

  it('prevents the application from starting', async () => {
    Reflect.defineMetadata(MODULE_METADATA.CONTROLLERS, [...controllers, CarelessController], HealthModule);

    await expect(applications.create()).rejects.toThrow(
      'CarelessController.report takes its body as PlainDto',
    );
  });
});
