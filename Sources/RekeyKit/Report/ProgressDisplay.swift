import Dispatch
import Foundation
import Pipeline

/// Keeps a progress line up to date on a terminal; elsewhere it shows nothing.
final class ProgressDisplay: @unchecked Sendable {  // `lock` guards every field that changes
  private let console: Console
  private let lock = NSLock()
  private var shown: (label: String, size: UnitSize, progress: RunProgress, started: ContinuousClock.Instant)?
  private let timer: (any DispatchSourceTimer)?

  init(_ console: Console) {
    self.console = console
    guard console.isErrTerminal else {
      timer = nil
      return
    }
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "rekey.progress"))
    self.timer = timer
    timer.setEventHandler { [weak self] in self?.draw() }
    timer.schedule(deadline: .now() + 0.5, repeating: 0.5)
    timer.activate()
  }

  func show(_ unit: any SweepUnit, _ progress: RunProgress) {
    lock.withLock { shown = (printable(unit.label), unit.size, progress, .now) }
  }

  /// Takes the line away; nothing is drawn afterwards.
  func end() {
    guard let timer else { return }
    timer.cancel()
    lock.withLock {
      shown = nil
      console.err("\r\u{1B}[K", lineEnd: false)
    }
  }

  private func draw() {
    lock.withLock {
      guard let shown else { return }
      let line = ProgressLine(
        label: shown.label, size: shown.size, rows: shown.progress.rows, bytes: shown.progress.bytes,
        seconds: (ContinuousClock.now - shown.started) / .seconds(1))
      console.err("\r\u{1B}[K" + line.text.prefix(max(20, console.width - 1)), lineEnd: false)
    }
  }
}
