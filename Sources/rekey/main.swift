import RekeyKit
