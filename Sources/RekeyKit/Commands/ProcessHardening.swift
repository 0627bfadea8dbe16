#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Keeps keys out of core files and other processes' sight, and lets a closed pipe be an error code.
func hardenProcess() {
  signal(SIGPIPE, SIG_IGN)
  // Else the first file that is opened would take the number, and messages would be written into it.
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 { _ = open("/dev/null", O_RDWR) }
  var none = rlimit(rlim_cur: 0, rlim_max: 0)
  #if canImport(Glibc)
    setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    forbidDumps()
  #else
    setrlimit(RLIMIT_CORE, &none)
  #endif
}

#if canImport(Glibc)
  /// Not dumpable: no core file, no ptrace and no /proc/PID/mem for others of the same user (prctl(2)).
  ///
  /// Glibc's module leaves <sys/prctl.h> out, so the function is looked up.
  private func forbidDumps() {
    typealias Prctl = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
    guard let address = dlsym(nil, "prctl") else { return }
    let setDumpable: CInt = 4
    _ = unsafeBitCast(address, to: Prctl.self)(setDumpable, 0, 0, 0, 0)
  }
#endif
