/* The bare C relay: the least that a process between two others can cost. Appends raw bytes to a file. */
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

static char chunk[65536];

int main(int argc, char **argv) {
    int log = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    int in[2], out[2];
    if (argc < 3 || log < 0 || pipe(in) || pipe(out)) return 2;
    pid_t agent = fork();
    if (agent == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    struct pollfd sources[2] = {{0, POLLIN, 0}, {out[0], POLLIN, 0}};
    int sinks[2] = {in[1], 1};
    while (sources[1].fd >= 0) {
        poll(sources, 2, -1);
        for (int i = 0; i < 2; i++) {
            if (!sources[i].revents) continue;
            ssize_t size = read(sources[i].fd, chunk, sizeof chunk);
            if (size <= 0) {
                close(sinks[i]);
                sources[i].fd = -1;
                continue;
            }
            if (write(log, chunk, size) < 0) return 3;
            for (ssize_t done = 0, n; done < size; done += n)
                if ((n = write(sinks[i], chunk + done, size - done)) < 0) return 4;
        }
    }
    int status;
    waitpid(agent, &status, 0);
    return WEXITSTATUS(status);
}
