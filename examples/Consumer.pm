# A consumer of a pgtq queue, with DBD::Pg.
#
#     use Consumer;
#     my $consumer = Consumer->new(dsn => 'dbi:Pg:dbname=shop', queue => 'orders', name => 'mailer');
#     $consumer->on(paid => sub {
#         my ($event, $dbh) = @_;
#         $dbh->do('insert into mail (text) values (?)', undef, $event->{ev_data});
#     });
#     $consumer->run;             # until SIGTERM, Ctrl-C or $consumer->stop
#
# What handlers do on $dbh, and that the batch is done, are one commit: exactly once. What they do elsewhere may
# happen again after a crash; ev_id is the same then. A handler that dies is undone alone, and its event comes
# again after a pause, max_attempts times in all; then `failed` is called with it and the error.
package Consumer;

use strict;
use warnings;
use DBI;
use DBD::Pg qw(:async);

sub new {
    my ($class, %options) = @_;
    my $self = {
        dsn => 'dbi:Pg:', max_attempts => 5, backoff => 10, wait => '1 minute', handlers => {}, stopping => 0,
        failed => sub { my ($event, $dbh, $error) = @_; warn "event $event->{ev_id} given up: $error" },
        %options,
    };
    return bless $self, $class;
}

# Handles events of a type; of type '': all that have no other handler.
sub on {
    my ($self, $type, $handler) = @_;
    $self->{handlers}{$type} = $handler;
}

# Ends run() after the batch that is being read; a signal handler may call it.
sub stop { $_[0]{stopping} = 1 }

# Reads until it is told to stop. A connection that breaks is made anew.
sub run {
    my ($self) = @_;
    local $SIG{TERM} = local $SIG{INT} = sub { $self->stop };
    until ($self->{stopping}) {
        my $ok = eval { $self->read_batches; 1 };
        my $error = $@;
        next if $ok || $self->{stopping};
        # 08: the connection, 57P: the server goes down, 40: a deadlock; anything else is for a person to see
        my $state = $self->{dbh} ? $self->{dbh}->state : '08006';
        die $error unless $state =~ /^(08|57P|40|S8006|22000)/ || !$self->{dbh} || !$self->{dbh}->ping;
        warn "$error; again in a second";
        sleep 1;
    }
}

sub read_batches {
    my ($self) = @_;
    undef $self->{dbh};
    my $dbh = $self->{dbh} = DBI->connect($self->{dsn}, $self->{user}, $self->{password},
        { AutoCommit => 1, RaiseError => 1, PrintError => 0 });
    $dbh->do('select pgtq.register_consumer(?, ?)', undef, @$self{qw(queue name)});
    until ($self->{stopping}) {
        my $batch = $self->wait_batch // next;
        $dbh->begin_work;
        my $events = $dbh->selectall_arrayref('select * from pgtq.get_batch_events(?)', { Slice => {} }, $batch);
        $self->handle($batch, $_) for @$events;
        $dbh->do('select pgtq.finish_batch(?)', undef, $batch);
        $dbh->commit;
    }
    $dbh->disconnect;
}

# The next batch. libpq would sit through signals, so the query is sent, and select() waits for its answer.
sub wait_batch {
    my ($self) = @_;
    my $dbh = $self->{dbh};
    my $query = $dbh->prepare('select pgtq.wait_batch(?, ?, ?)', { pg_async => PG_ASYNC });
    $query->execute(@$self{qw(queue name wait)});
    vec(my $socket = '', $dbh->{pg_socket}, 1) = 1;
    until ($query->pg_ready) {
        if ($self->{stopping}) {
            $query->pg_cancel;
            return;
        }
        select(my $ready = $socket, undef, undef, 1);       # a second: should a signal come just before
    }
    $query->pg_result;
    return ($query->fetchrow_array)[0];
}

sub handle {
    my ($self, $batch, $event) = @_;
    my $dbh = $self->{dbh};
    my $handler = $self->{handlers}{ $event->{ev_type} // '' } // $self->{handlers}{''} // return;
    my $tries = ($event->{ev_retry} // 0) + 1;
    $dbh->pg_savepoint('handler');
    return $dbh->pg_release('handler') if eval { $handler->($event, $dbh); 1 };
    my $error = $@;
    die $error if $dbh->state =~ /^(08|57P|40|S8006)/;      # a lost connection, a deadlock: the batch comes again
    $dbh->pg_rollback_to('handler');                        # what a failing handler did is undone
    if ($tries < $self->{max_attempts}) {
        my $pause = $self->{backoff} * 2**($tries - 1);
        warn "event $event->{ev_id} failed, again in $pause s: $error";
        $dbh->do('select pgtq.event_retry(?::bigint, ?::bigint, ?::integer)', undef, $batch, $event->{ev_id}, $pause);
    } else {
        $self->{failed}->($event, $dbh, $error);
    }
}

1;
