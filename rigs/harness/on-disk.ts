// Tests of durability need a real disk, and large files need its space.
process.env.TMPDIR = process.env.DBDEPOT_TEST_DISK;
