import RekeyKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

exit(Rekey.main(Array(CommandLine.arguments.dropFirst())))
