from pyarrow import read_parquet


class _Dataset:
    def __init__(self, url, filesystem):
        self._url = url
        self._filesystem = filesystem

    def to_table(self):
        return read_parquet(self._url, self._filesystem)

    def head(self, count):
        return self.to_table().head(count)


def dataset(source, format, filesystem):
    assert format == "parquet"
    return _Dataset(source, filesystem)
