import { AppError } from '../../errors.ts';

export const disconnected = () => new AppError('unavailable', 'The message bus is not reachable right now');
