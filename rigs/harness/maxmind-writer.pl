#!/usr/bin/env perl
# Writes an mmdb with MaxMind::DB::Writer: perl maxmind-writer.pl OUTPUT IP_VERSION RECORD_SIZE ALIASES
# The input has tab-separated columns. The header names the first one "network", and gives the others as
# key:type, where a dot in the key stands for a map in the record.
use strict;
use warnings;
use MaxMind::DB::Writer::Tree;

my ( $output, $ip_version, $record_size, $aliases ) = @ARGV;
chomp( my $header = <STDIN> );
my ( undef, @columns ) = map { [ split /:/ ] } split /\t/, $header;
my %types;
for my $column (@columns) {
    my @path = split /\./, $column->[0];
    $types{ pop @path } = $column->[1];
    $types{$_} = 'map' for @path;
    $column->[0] = [ split /\./, $column->[0] ];
}
my $tree = MaxMind::DB::Writer::Tree->new(
    ip_version               => $ip_version,
    record_size              => $record_size,
    database_type            => 'Test',
    languages                => ['en'],
    description              => { en => 'A test' },
    alias_ipv6_to_ipv4       => $aliases,
    remove_reserved_networks => 0,
    map_key_type_callback    => sub { $types{ $_[0] } },
);
while ( my $line = <STDIN> ) {
    chomp $line;
    my ( $network, @cells ) = split /\t/, $line;
    my %record;
    for my $i ( 0 .. $#columns ) {
        my ( $last, @path ) = reverse @{ $columns[$i][0] };
        my $map = \%record;
        $map = $map->{$_} //= {} for reverse @path;
        $map->{$last} = $cells[$i];
    }
    $tree->insert_network( $network, \%record );
}
open my $file, '>:raw', $output or die "$output: $!";
$tree->write_tree($file);
close $file or die "$output: $!";
