/** A module for jobs that takes for ever to start. */
for (;;);
