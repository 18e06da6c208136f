class ParquetFile:
    """The connector opens files with it, and reads from it only in batches."""

    def __init__(self, url, filesystem):
        filesystem.info(url)
