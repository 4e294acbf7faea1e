; "Open with" offers Spandeck for tables; their default program does not change.
; ${APP_EXECUTABLE_FILENAME} is the name of the executable, SHELL_CONTEXT the user or computer of the installation.

!macro spandeckOpenWith EXT PROGID
  WriteRegNone SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "${PROGID}"
!macroend

!macro spandeckForget EXT PROGID
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "${PROGID}"
!macroend

!macro customInstall
  WriteRegStr SHELL_CONTEXT "Software\Classes\Spandeck.Table" "" "Table"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Spandeck.Table\DefaultIcon" "" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\Spandeck.Table\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
  !insertmacro spandeckOpenWith "csv" "Spandeck.Table"
  !insertmacro spandeckOpenWith "jsonl" "Spandeck.Table"
  !insertmacro spandeckOpenWith "ndjson" "Spandeck.Table"
  !insertmacro spandeckOpenWith "parquet" "Spandeck.Table"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, i 0, i 0)'
!macroend

!macro customUnInstall
  !insertmacro spandeckForget "csv" "Spandeck.Table"
  !insertmacro spandeckForget "jsonl" "Spandeck.Table"
  !insertmacro spandeckForget "ndjson" "Spandeck.Table"
  !insertmacro spandeckForget "parquet" "Spandeck.Table"
  DeleteRegKey SHELL_CONTEXT "Software\Classes\Spandeck.Table"
  ; The application registers spandeck:// for the user when it starts. If another copy has registered it, that one keeps it.
  ReadRegStr $0 HKCU "Software\Classes\spandeck\shell\open\command" ""
  StrCmp $0 '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"' 0 +2
  DeleteRegKey HKCU "Software\Classes\spandeck"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, i 0, i 0)'
!macroend
